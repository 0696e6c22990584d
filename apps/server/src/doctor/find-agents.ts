import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { agentEnvironment, type Config, type Environment } from '../config.ts';
import type { Finding, FoundAgent } from './doctor-report.ts';

/** The agents of the configuration and of the PATH, each with its file and version. Starts none of them. */
export function findAgents(agents: Config['agents'], env: Environment): readonly FoundAgent[] {
  return Object.entries(agents).map(([name, entry]) => {
    const path = fileOf(entry.command, agentEnvironment(entry, env).PATH) ?? null;
    return { name, command: entry.command, path, version: path === null ? null : (packageVersion(path) ?? null) };
  });
}

/** @param named whether the configuration says something about it; others were found on the PATH. */
export function agentsFinding(agents: readonly FoundAgent[], named: (agent: string) => boolean): Finding {
  const missing = agents.filter(({ name, path }) => path === null && named(name)).map(({ name }) => name);
  const found = agents.filter(({ path }) => path !== null).map(({ name }) => name);
  if (missing.length > 0) {
    return {
      id: 'agents',
      state: 'weak',
      detail: `there is no program for: ${missing.join(', ')}`,
      next: 'Install it, "reeve agents install NAME" does for those of npm, or mend "command" in the configuration.',
    };
  }
  if (found.length > 0) return { id: 'agents', state: 'ok', detail: found.join(', ') };
  return {
    id: 'agents',
    state: 'weak',
    detail: 'none found',
    next: 'Install one, or name one in the configuration ("agents").',
  };
}

function fileOf(command: string, path: string | undefined): string | undefined {
  const places = command.includes('/')
    ? [resolve(command)]
    : (path ?? '')
        .split(delimiter)
        .filter((place) => place !== '')
        .map((place) => join(place, command));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

/** Of the npm package that has `file` as a program. */
function packageVersion(file: string): string | undefined {
  try {
    const real = realpathSync(file);
    for (let at = dirname(real); at !== dirname(at); at = dirname(at)) {
      const said = manifestIn(at);
      if (said?.version === undefined) continue;
      const programs = typeof said.bin === 'string' ? [said.bin] : Object.values(said.bin ?? {});
      return programs.some((program) => resolve(at, program) === real) ? said.version : undefined;
    }
  } catch {
    // Gone meanwhile, or not to be read: it has no version that could be told.
  }
  return undefined;
}

interface Manifest {
  readonly version?: string;
  readonly bin?: string | { readonly [name: string]: string };
}

function manifestIn(directory: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}
