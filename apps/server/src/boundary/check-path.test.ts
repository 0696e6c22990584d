import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPath } from './check-path.ts';
import type { RootStanding } from './root-standing.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-check-')));
  for (const name of ['project/docs', 'project-evil', 'elsewhere']) mkdirSync(join(base, name), { recursive: true });
  writeFileSync(join(base, 'elsewhere/secret'), '');
  symlinkSync(join(base, 'elsewhere'), join(base, 'project/link'));
  symlinkSync(join(base, 'nowhere'), join(base, 'project/dangling'));
  symlinkSync('circle', join(base, 'project/circle'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const has = (path: string, access: 'ro' | 'rw') => ({ path: join(base, path), access });

function standing(path: string, state: RootStanding['state'], access: RootStanding['access']): RootStanding {
  const root = { path: join(base, path), access: 'rw' } as const;
  return { root, state, access, risks: ['ordinary'], highRisk: false, inProject: true, policies: [] };
}

const check = (path: string, lost: readonly string[] = []) =>
  checkPath({
    path: path.startsWith('/') ? path : join(base, path),
    roots: [
      { path: join(base, 'project'), access: 'rw' },
      { path: join(base, 'project/docs'), access: 'ro' },
    ],
    lost: new Set(lost.map((name) => join(base, name))),
    servers: [
      {
        name: 'files',
        standing: [standing('project', 'granted', 'ro'), standing('project/docs', 'denied', 'none')],
        has: [has('project/new', 'ro')],
      },
      { name: 'notes', standing: [], has: [] },
    ],
  });

describe('what a path may be used for', () => {
  it('is what the deepest root around it says, for the agent and for each server', async () => {
    expect(await check('project/new/file')).toEqual({
      canonical: join(base, 'project/new/file'),
      agent: 'rw',
      root: { path: join(base, 'project'), access: 'rw' },
      servers: [
        { server: 'files', access: 'ro', state: 'granted' },
        { server: 'notes', access: 'none', state: 'outside' },
      ],
    });
    expect(await check('project/docs/a')).toMatchObject({
      agent: 'ro',
      servers: [{ access: 'none', state: 'denied' }, { state: 'outside' }],
    });
  });

  it('is for a server no more than its command line names, whatever it was given', async () => {
    const [given] = (await check('project/new/file')).servers;
    expect(given).toEqual({ server: 'files', access: 'ro', state: 'granted' });
    const [left] = (await check('project/src')).servers;
    expect(left).toEqual({ server: 'files', access: 'none', state: 'outside' });
  });

  it('is nothing in a root that is not what was approved any more', async () => {
    const found = await check('project/new/file', ['project']);
    expect(found).toMatchObject({ agent: 'none', lost: true, servers: [{ access: 'none' }, { access: 'none' }] });
    expect(await check('project/docs/a', ['project'])).not.toHaveProperty('lost');
  });

  it('is nothing beside a root with a name that begins the same', async () => {
    expect(await check('project-evil/a')).toMatchObject({ agent: 'none', servers: [{ state: 'outside' }, {}] });
  });

  it('is reading where what lies there decides which programs run', async () => {
    expect(await check('project/.git/hooks/pre-commit')).toMatchObject({ agent: 'ro', protected: '.git/hooks' });
    expect((await check('project/src/hooks')).protected).toBeUndefined();
  });

  it('is judged by where links lead', async () => {
    expect(await check('project/link/secret')).toMatchObject({
      canonical: join(base, 'elsewhere/secret'),
      agent: 'none',
      needed: join(base, 'elsewhere'),
    });
    expect((await check('project-evil/new/file')).needed).toBe(join(base, 'project-evil'));
  });

  it.each(['project/dangling', 'project/dangling/more', 'project/circle', '/a/../b', '/a\u0001b'])(
    'cannot be told of %j, so it is nothing',
    async (path) => {
      const found = await check(path);
      expect(found.agent).toBe('none');
      expect(found.canonical).toBeUndefined();
    },
  );
});
