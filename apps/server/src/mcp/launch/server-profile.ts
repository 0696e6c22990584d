import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { contains } from '@reeve/policy';
import { insideCommand, type Launch, ownProgramPaths, type ProgramSite, type SandboxLimits } from '@reeve/sandbox';
import type { ServerScope } from '../../boundary/server-guard.ts';

export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** As it was declared. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ServerPlace {
  readonly scope: ServerScope;
  /** What is given besides: of these where programs are, language and time zone. Directories would not exist inside. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** Never shown whole, nor what they lie in. */
  readonly closed: readonly string[];
  /** Not shown at all, also where a root holds it. Canonical. */
  readonly hidden: readonly string[];
  readonly limits: SandboxLimits;
  /** Where it works when it has no root. */
  readonly anteroom: string;
}

/** HOME inside: empty, forgotten at the end. */
export const SERVER_HOME = '/home/server';

/**
 * How an MCP server is started: it sees its own program and package, read-only, and the roots that it was granted. Directories on its
 * command line stay there as they are; those that were not granted do not exist inside.
 */
export function serverLaunch(
  program: ServerProgram,
  { scope, baseEnv, closed, hidden, limits, anteroom }: ServerPlace,
): Launch {
  const { roots, network, withheld = [], cwd = anteroom } = scope;
  const env = { ...insideEnvironment(baseEnv), ...program.env };
  const site: ProgramSite = { path: env.PATH, cwd, closed: [...closed, ...withheld] };
  const granted = (path: string): boolean => roots.some((root) => contains(root.path, path));
  const masked = hidden.filter(granted);
  const seen = (path: string): boolean => granted(path) && !masked.some((mask) => contains(mask, path));
  const own = ownProgramPaths(program.command, program.args, site).filter((path) => !seen(path));
  return {
    ...insideCommand(program.command, program.args, site),
    env,
    cwd,
    profile: {
      roots: roots.map(({ name: _, ...root }) => root),
      masked,
      readOnly: outermost(own),
      home: { path: SERVER_HOME },
      state: [],
      files: [],
      sockets: [],
      network,
      limits,
    },
  };
}

/** Directories on a command line that exist and were not granted, while none there was: most servers of files end at once then. */
export function ungrantedDirectories(args: readonly string[], { roots }: ServerScope): readonly string[] {
  const directories = args.filter((argument) => isAbsolute(argument) && isDirectory(argument));
  const granted = directories.filter((path) =>
    roots.some((root) => contains(root.path, path) || contains(path, root.path)),
  );
  return granted.length > 0 ? [] : directories;
}

function insideEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^(?:PATH|LANG|LC_\w+|TZ|TERM)$/.test(name)));
}

/** Without paths that are seen in another one anyway: a link among them could not be mounted over. */
function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && contains(other, path)));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
