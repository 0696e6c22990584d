import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decidesWhatRuns } from './decides-what-runs.ts';
import type { DeclaredServer, ServerTransport } from './declared-server.ts';

/** What interpreters run, behind their own words and flags: `deno run -A server.ts`, `node --import ./hook.mjs server.js`. */
export const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|php|pl|lua|sh|bash|jar|wasm|dll)$/;
const MAX_SCRIPTS = 64;

export interface FingerprintOptions {
  /** Where a relative command or script is looked for: canonical. The server is started there if that lies in a root of it. */
  readonly cwd: string;
  /** Where it may be started else, since that is decided later: what has the same relative name there is pinned too. */
  readonly roots?: readonly string[];
  /** As `PATH` has it. */
  readonly searchPath: string;
}

/**
 * The pinned identity of an MCP server, `sha256:` and hexadecimal digits: of command, arguments, the digest of the program that the
 * command resolves to and of the scripts that the arguments name, or of the origin and path of the URL. Never of headers, and of `env`
 * the names, and the values of those alone that decide which code runs: no secret is among that.
 */
export async function fingerprintOf(server: DeclaredServer, options: FingerprintOptions): Promise<string> {
  const { transport, content } = server;
  const parts =
    transport.kind === 'stdio'
      ? [
          'stdio',
          transport.command,
          transport.args,
          ...(await digestsOf(transport, options)),
          Object.keys(transport.env).sort(),
          ...loadersOf(transport.env),
        ]
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

async function digestsOf(
  { command, args, env }: Extract<ServerTransport, { kind: 'stdio' }>,
  { cwd, roots = [], searchPath }: FingerprintOptions,
): Promise<string[]> {
  const program = await resolveCommand(command, { cwd, searchPath: env.PATH ?? searchPath });
  const script = args.find((arg) => !arg.startsWith('-'));
  const first = script === undefined ? undefined : await fileAt(resolve(cwd, script));
  const scripts = args.map((arg) => /^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? arg).filter((arg) => SCRIPT.test(arg));
  const named = [...(script === undefined ? [] : [script]), ...scripts.slice(0, MAX_SCRIPTS)];
  const relative = [...named, ...(command.includes('/') ? [command] : [])].filter((name) => !isAbsolute(name));
  const places = [
    ...named.map((name) => resolve(cwd, name)),
    ...roots.flatMap((root) => relative.map((name) => resolve(root, name))),
  ];
  const further = new Set<string>();
  for (const place of new Set(places)) {
    const file = await fileAt(place);
    if (file !== undefined && file !== first && file !== program) further.add(file);
  }
  return Promise.all([program, first, ...further].map(async (path) => (path === undefined ? 'none' : digestOf(path))));
}

function loadersOf(env: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  const loaders = Object.entries(env).filter(([name]) => decidesWhatRuns(name));
  return loaders.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The file that a command names; undefined when there is none. */
export async function resolveCommand(
  command: string,
  { cwd, searchPath }: FingerprintOptions,
): Promise<string | undefined> {
  if (isAbsolute(command) || command.includes('/')) return fileAt(resolve(cwd, command));
  for (const directory of searchPath.split(delimiter)) {
    const found = await fileAt(resolve(cwd, directory, command));
    if (found !== undefined && (await isExecutable(found))) return found;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
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
