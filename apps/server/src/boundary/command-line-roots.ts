import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DISTINCT_NAMES, indexRoots } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { ServerTransport } from './declared-server.ts';

/** A flag whose value is a directory to work in, as far as its name tells; one for what a program keeps is none. */
const ROOT_FLAG = /root|allow|dir|folder|path|workspace|project|repo/i;
const OTHER_FLAG = /cache|config|conf\b|data|log|temp|tmp|state|home|install|prefix|modules|lib|bin/i;

/**
 * The directories that an operator put on the command line of a server: what it is granted is intersected with them (boundary, section
 * 3). Undefined where there are none, which limits nothing. A word is taken for a directory when it is written as a path, and one is
 * there.
 * @param cwd of the session, canonical: relative paths begin there. Where that is not granted to the server they give it nothing.
 */
export async function commandLineRoots(
  transport: ServerTransport,
  cwd: string,
): Promise<readonly BoundaryRoot[] | undefined> {
  if (transport.kind !== 'stdio') return undefined;
  const found = await Promise.all(pathsAmong(transport.args).map((path) => directoryAt(resolve(cwd, path))));
  const directories = [...new Set(found.filter((path) => path !== undefined))];
  return directories.length === 0 ? undefined : directories.map((path) => ({ path, access: 'rw' }));
}

/** What the directories on a command line leave of what a server is given. */
export interface CommandLineRule {
  /** Why the server would see nothing of a path, whoever gave it that; undefined where it would see some. */
  unnamed(path: string): string | undefined;
  /** All that it would see of a path, where that is a part; undefined where it is the whole, and where it is nothing. */
  partOf(path: string): readonly string[] | undefined;
}

/** @param commandLine see `commandLineRoots`; undefined limits nothing */
export function commandLineRule(commandLine: readonly BoundaryRoot[] | undefined): CommandLineRule {
  if (commandLine === undefined) return { unnamed: () => undefined, partOf: () => undefined };
  const index = indexRoots(commandLine, DISTINCT_NAMES);
  const outermost = commandLine.filter(({ path }) => index.around(dirname(path)) === undefined);
  const parts = new Map<string, string[]>();
  for (const { path } of outermost) {
    for (let around = dirname(path); ; around = dirname(around)) {
      const known = parts.get(around);
      if (known) known.push(path);
      else parts.set(around, [path]);
      if (around === dirname(around)) break;
    }
  }
  const [first, ...others] = commandLine.map(({ path }) => path);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const why = `The server's command line names only ${first}${more}: it gets nothing else. Name the directory there too, in a new session.`;
  return {
    unnamed: (path) => (parts.has(path) || index.around(path) ? undefined : why),
    partOf: (path) => parts.get(path),
  };
}

function pathsAmong(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [flag, value] = flagOf(arg) ?? flagBefore(args[index - 1], arg);
    if (!/^\/|^\.{1,2}(?:\/|$)/.test(value)) return [];
    return flag === undefined || (ROOT_FLAG.test(flag) && !OTHER_FLAG.test(flag)) ? [value] : [];
  });
}

/** `--flag=value`; nothing for a flag alone. */
function flagOf(arg: string): readonly [string | undefined, string] | undefined {
  if (!arg.startsWith('-')) return undefined;
  const at = arg.indexOf('=');
  return at === -1 ? [arg, ''] : [arg.slice(0, at), arg.slice(at + 1)];
}

/** What follows a long flag may be its value; a flag of one letter mostly has none. */
function flagBefore(before: string | undefined, arg: string): readonly [string | undefined, string] {
  return [before?.startsWith('--') && !before.includes('=') ? before : undefined, arg];
}

async function directoryAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
