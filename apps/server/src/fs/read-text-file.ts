import { constants as flags } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ReeveError } from '@reeve/protocol';
import { behind, type OpenRoots } from '../boundary/open-roots.ts';
import { badParams, systemRefusal } from '../boundary/refusal.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * The text of a regular file inside the roots, with its byte-order mark and line endings as they are. Throws a ReeveError: what the
 * boundary refuses, `not_found`, `message_too_large` above `maxBytes`, `unsupported` for what is not UTF-8.
 */
export async function readTextFile(
  roots: OpenRoots,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  await using held = await roots.hold(path);
  requireRegular(await held.handle.stat(), path);
  const bytes = await readAll(held.handle, path, maxBytes, signal);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ReeveError('unsupported', {
      message: `${path} is not UTF-8 text: read it with a command instead`,
      data: { path },
    });
  }
}

export function requireRegular(stat: { isFile(): boolean; isDirectory(): boolean }, path: string): void {
  if (stat.isFile()) return;
  const what = stat.isDirectory() ? 'a directory' : 'a pipe, socket or device';
  throw badParams(`${path} is ${what}: name a regular file`);
}

export function tooLarge(path: string, maxBytes: number): ReeveError {
  return new ReeveError('message_too_large', {
    message: `${path} is larger than ${maxBytes} bytes (limits.maxFileBytes)`,
    data: { path, maxBytes },
  });
}

/** Opens the very file that is held, and reads it up to the limit, also when it grows meanwhile. */
async function readAll(held: FileHandle, path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  await using file = await open(behind(held), flags.O_RDONLY | flags.O_NONBLOCK | flags.O_NOCTTY).catch((error) => {
    throw systemRefusal(error, path);
  });
  if ((await file.stat()).size > maxBytes) throw tooLarge(path, maxBytes);
  const chunks: Buffer[] = [];
  for (let total = 0; ; ) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1 - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > maxBytes) throw tooLarge(path, maxBytes);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}
