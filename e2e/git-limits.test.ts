import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SLOW_MS } from './reeve-lab.ts';
import { openShellLab } from './shell-lab.ts';

/** What becomes of a write to the configuration of each of two repositories, one in the other, and what the session says of its files. */
async function written(limits: object) {
  await using lab = await openShellLab({
    directories: ['project'],
    fill(at) {
      for (const name of ['outer/.git', 'outer/inner/.git']) {
        mkdirSync(at(`project/${name}`), { recursive: true });
        writeFileSync(at(`project/${name}/config`), '');
      }
    },
    config: () => ({ limits }),
  });
  const session = await lab.open();
  const wrote = async (name: string) => {
    const said = await lab.run(session, `echo evil >>${name}/.git/config && echo written`);
    return said.includes('written') ? 'written' : /Read-only file system/.test(said) ? 'refused' : said;
  };
  const { enforcement } = await lab.api.sessions.show(session);
  return {
    outer: await wrote('outer'),
    inner: await wrote('outer/inner'),
    gaps: (enforcement as { gaps?: readonly string[] } | undefined)?.gaps,
  };
}

describe('how far it is looked for what git runs', { timeout: SLOW_MS }, () => {
  it('limits.maxGitDirectories: as many directories are looked at, in none more', async () => {
    // The root and `outer`; in a git directory it is looked for submodules and work trees, one directory each.
    expect(await written({ maxGitDirectories: 2 })).toMatchObject({ outer: 'refused', inner: 'written' });
    expect(await written({ maxGitDirectories: 4 })).toMatchObject({ outer: 'refused', inner: 'written' });
    expect(await written({ maxGitDirectories: 5 })).toMatchObject({ outer: 'refused', inner: 'refused' });
  });

  it('limits.maxGitNames: as many names are read, and none more', async () => {
    // `outer` is one, `.git` and `inner` in it are two.
    expect(await written({ maxGitNames: 3 })).toMatchObject({ outer: 'refused', inner: 'written' });
    expect(await written({ maxGitNames: 4 })).toMatchObject({ outer: 'refused', inner: 'refused' });
  });

  it('limits.maxGitPlaces: as many are protected, and of one more is said that it is not', async () => {
    const beyond = await written({ maxGitPlaces: 1 });
    expect(beyond).toMatchObject({ outer: 'refused', inner: 'written' });
    expect(beyond.gaps?.join('\n')).toMatch(/of 2 git directories .* 1 are not protected: .*limits\.maxGitPlaces/);
    const within = await written({ maxGitPlaces: 2 });
    expect(within).toMatchObject({ outer: 'refused', inner: 'refused' });
    expect(within.gaps?.join('\n') ?? '').not.toContain('git directories');
  });
});
