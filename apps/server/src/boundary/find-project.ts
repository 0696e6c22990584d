import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { directoriesAbove, findRepository } from './git-repository.ts';

/** The project of a session: what the shipped policy shows to confined servers without asking. */
export interface Project {
  /** Canonical. */
  readonly directory: string;
  /** See Repository. */
  readonly repository?: string;
}

/** Files that stand at the top of a project. */
const PROJECT_FILES: readonly string[] = [
  ...['package.json', 'deno.json', 'pyproject.toml', 'setup.py', 'Cargo.toml', 'go.mod', 'pom.xml', 'build.gradle'],
  ...[
    'build.gradle.kts',
    'composer.json',
    'Gemfile',
    'mix.exs',
    'CMakeLists.txt',
    'meson.build',
    'Makefile',
    'flake.nix',
  ],
];

/**
 * The git work tree that encloses `cwd`, else the nearest directory above with a project file, else `cwd` itself. A home directory and
 * what holds it is never a project, also where somebody keeps it under git.
 * @param cwd canonical
 */
export async function findProject(cwd: string, home: string | undefined): Promise<Project> {
  const repository = await findRepository(cwd, home);
  if (repository) return { directory: repository.workTree, repository: repository.name };
  for (const directory of [cwd, ...directoriesAbove(cwd)]) {
    if (directory === '/' || directory === home || home?.startsWith(`${directory}/`)) break;
    if (await hasProjectFile(directory)) return { directory };
  }
  return { directory: cwd };
}

async function hasProjectFile(directory: string): Promise<boolean> {
  const found = await Promise.all(
    PROJECT_FILES.map((name) =>
      access(join(directory, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
