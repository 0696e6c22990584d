import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxHome, SandboxRoot, SandboxState } from '@reeve/sandbox';

export interface HomeRequest {
  readonly dataDir: string;
  readonly agent: string;
  /** The project: each has a HOME of its own. */
  readonly cwd: string;
  /** HOME as the agent sees it, and of the user outside. */
  readonly home: string;
  readonly state: readonly string[];
  readonly roots: readonly SandboxRoot[];
}

export interface AgentHome {
  readonly home: SandboxHome;
  readonly state: readonly SandboxState[];
}

/**
 * The HOME of an agent in one project: a directory of Reeve's own, mode 0700, that is kept, with what the agent keeps in the user's real
 * HOME in it where that exists. Where a root covers HOME read-write, it is the real one.
 */
export async function openAgentHome(request: HomeRequest): Promise<AgentHome> {
  const { dataDir, agent, cwd, home, roots } = request;
  const granted = (path: string): boolean => innermost(roots, path)?.access === 'rw';
  const own = join(dataDir, 'homes', agent, nameOf(cwd));
  await mkdir(own, { recursive: true, mode: 0o700 });
  await chmod(own, 0o700);
  const state: SandboxState[] = [];
  for (const path of request.state) {
    if (granted(path)) continue;
    if (existsSync(path)) state.push({ path, directory: path });
    else if (!isWithin(path, home)) {
      // Outside of HOME nothing can be made inside: it needs a place of its own.
      const directory = join(own, '.elsewhere', nameOf(path));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      state.push({ path, directory });
    }
  }
  return { home: { path: home, directory: granted(home) ? home : own }, state };
}

/** The root that decides about a path. */
export function innermost<Root extends SandboxRoot>(roots: readonly Root[], path: string): Root | undefined {
  const around = roots.filter((root) => isWithin(path, root.path));
  return around.sort((one, other) => other.path.length - one.path.length)[0];
}

/** By path component: `/a` holds `/a` and `/a/b`, not `/ab`. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

function nameOf(path: string): string {
  return createHash('sha256').update(path).digest('base64url').slice(0, 22);
}
