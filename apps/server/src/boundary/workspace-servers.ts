import { createHash } from 'node:crypto';
import { constants as flags } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@reeve/protocol';
import { type ParseError, parse } from 'jsonc-parser';
import { canonicalJson } from '../audit/canonical-json.ts';
import type { DeclaredServer } from './declared-server.ts';
import { behind, canServeFiles } from './open-roots.ts';
import { readServerEntry } from './server-entry.ts';

/** Servers, and what was named and is none. */
export interface NamedServers {
  readonly servers: readonly DeclaredServer[];
  /** A sentence each, with the next step. Nothing in them is a secret. */
  readonly problems: readonly string[];
}

export interface ServerFileLimits {
  /** Largest file that is read (`limits.serverFileBytes`). */
  readonly serverFileBytes: number;
  /** Servers that the files of one directory propose (`limits.maxWorkspaceServers`). */
  readonly maxWorkspaceServers: number;
}

/** Files by which editors and agents are told of servers, with the member that has them. In the order in which they count. */
const FILES = [
  { path: '.mcp.json', member: 'mcpServers' },
  { path: '.vscode/mcp.json', member: 'servers' },
] as const;

const MAX_DEPTH = 64;

/**
 * The servers that files of a directory propose. Reads only, what lies in the directory itself and nothing that a link there leads to,
 * starts nothing, and never rejects: everything in these files is as trustworthy as the repository.
 */
export async function workspaceServers(directory: string, limits: ServerFileLimits): Promise<NamedServers> {
  const servers = new Map<string, DeclaredServer>();
  const problems: string[] = [];
  for (const { path, member } of FILES) {
    const file = await readServerFile(directory, path, limits.serverFileBytes);
    if (file.kind === 'none') continue;
    const found = file.kind === 'read' ? entriesOf(file.text, member) : file;
    if (found.kind === 'unfit') {
      problems.push(`${path} ${found.problem}`);
      continue;
    }
    for (const [name, value] of found.entries) {
      const of = `${path}: the server ${JSON.stringify(name.slice(0, 64))}`;
      const entry = isName(name) ? readServerEntry(value, directory) : BAD_NAME;
      const other = servers.get(name);
      if (entry.kind === 'unfit') problems.push(`${of} ${entry.problem}`);
      else if (other) {
        if (other.content !== contentHash(value))
          problems.push(`${of} is left out: an earlier file has another one of that name`);
      } else if (servers.size >= limits.maxWorkspaceServers) {
        problems.push(
          `${of} is left out: more than ${limits.maxWorkspaceServers} are proposed (limits.maxWorkspaceServers)`,
        );
        return { servers: [...servers.values()], problems };
      } else {
        servers.set(name, { name, origin: 'workspace', transport: entry.transport, content: contentHash(value) });
      }
    }
  }
  return { servers: [...servers.values()], problems };
}

const BAD_NAME = {
  kind: 'unfit',
  problem: 'has a name that is empty, too long or holds control characters: rename it',
} as const;

function isName(name: string): boolean {
  return /^\P{Cc}{1,64}$/u.test(name);
}

/** Of the whole entry as it was parsed, so that no change of it goes unseen. */
function contentHash(entry: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(entry)).digest('hex')}`;
}

type Entries =
  | { readonly kind: 'entries'; readonly entries: readonly (readonly [string, unknown])[] }
  | { readonly kind: 'unfit'; readonly problem: string };

function entriesOf(text: string, member: string): Entries {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true });
  if (errors.length > 0) return { kind: 'unfit', problem: 'is no JSON: correct its syntax' };
  const named = isObject(value) ? (value[member] ?? {}) : undefined;
  if (!isObject(named) || isDeeper(named, MAX_DEPTH)) {
    return { kind: 'unfit', problem: `has no object "${member}" of servers by name: write {"${member}": {…}}` };
  }
  return { kind: 'entries', entries: Object.entries(named) };
}

type ServerFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'unfit'; readonly problem: string };

async function readServerFile(directory: string, path: string, maxBytes: number): Promise<ServerFile> {
  const full = join(directory, path);
  let handle: FileHandle;
  try {
    // Not through a link, and without waiting where it is a pipe.
    handle = await open(full, flags.O_RDONLY | flags.O_NOFOLLOW | flags.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' };
    return { kind: 'unfit', problem: `is not read (${code}): make it a plain file that Reeve may read` };
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { kind: 'unfit', problem: 'is no plain file: make it one' };
    const place = canServeFiles ? await readlink(behind(handle)) : await realpath(full);
    if (place !== join(await realpath(directory), path)) {
      return { kind: 'unfit', problem: `is not read: ${dirname(path)} is a link to somewhere else` };
    }
    if (stat.size > maxBytes)
      return { kind: 'unfit', problem: `is longer than ${maxBytes} bytes (limits.serverFileBytes)` };
    return { kind: 'read', text: await readAtMost(handle, maxBytes) };
  } catch (error) {
    return { kind: 'unfit', problem: `could not be read (${(error as NodeJS.ErrnoException).code}): try again` };
  } finally {
    await handle.close();
  }
}

/** What it has now; what it grows meanwhile is not read. */
async function readAtMost(handle: FileHandle, maxBytes: number): Promise<string> {
  const buffer = Buffer.alloc(Math.min(maxBytes, (await handle.stat()).size));
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.toString('utf8', 0, length);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
