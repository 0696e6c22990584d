import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DeclaredServer } from './declared-server.ts';

export interface FingerprintOptions {
  /** Where a relative command or script is looked for: canonical. */
  readonly cwd: string;
  /** As `PATH` has it. */
  readonly searchPath: string;
}

/**
 * The pinned identity of an MCP server, `sha256:` and hexadecimal digits: of command, arguments, the digest of the program that the
 * command resolves to and of the script that is its first argument, or of the origin and path of the URL. Never of `env` or headers.
 */
export async function fingerprintOf(server: DeclaredServer, options: FingerprintOptions): Promise<string> {
  const { transport, content } = server;
  const parts =
    transport.kind === 'stdio'
      ? ['stdio', transport.command, transport.args, ...(await digestsOf(transport.command, transport.args, options))]
      : [transport.kind, ...addressOf(transport.url)];
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([...parts, content ?? null]))
    .digest('hex')}`;
}

/** A URL that names a server to people: without user part, query and fragment, which may hold secrets. */
export function shownUrl(text: string): string {
  return addressOf(text).join('');
}

function addressOf(text: string): readonly [string, string] {
  if (!URL.canParse(text)) return ['invalid URL', ''];
  const { origin, pathname } = new URL(text);
  return [origin, pathname];
}

async function digestsOf(command: string, args: readonly string[], options: FingerprintOptions): Promise<string[]> {
  const program = await resolveCommand(command, options);
  const script = args.find((arg) => !arg.startsWith('-'));
  const file = script === undefined ? undefined : await fileAt(resolve(options.cwd, script));
  return Promise.all([program, file].map(async (path) => (path === undefined ? 'none' : digestOf(path))));
}

/** The file that a command names; undefined when there is none. */
export async function resolveCommand(
  command: string,
  { cwd, searchPath }: FingerprintOptions,
): Promise<string | undefined> {
  if (isAbsolute(command) || command.includes('/')) return fileAt(resolve(cwd, command));
  for (const directory of searchPath.split(delimiter).filter(isAbsolute)) {
    const found = await fileAt(join(directory, command));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function fileAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Programs are large, and the same ones are asked for again and again. */
const digests = new Map<string, Promise<string>>();
const MAX_REMEMBERED = 1000;

async function digestOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  const key = [path, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  const known = digests.get(key);
  if (known) return known;
  const made = readDigest(path);
  digests.set(key, made);
  made.catch(() => digests.delete(key));
  const [oldest] = digests.keys();
  if (digests.size > MAX_REMEMBERED && oldest !== undefined) digests.delete(oldest);
  return made;
}

async function readDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return 'unreadable';
  }
}
