import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SLOW_MS } from './reeve-lab.ts';
import { openShellLab, type ShellLab } from './shell-lab.ts';

let lab: ShellLab;

beforeAll(async () => {
  lab = await openShellLab({ directories: [] });
}, SLOW_MS);
afterAll(() => lab?.[Symbol.asyncDispose]());
beforeEach(() => {
  for (const name of ['project', 'library', 'book', 'away', 'next'])
    rmSync(lab.at(name), { recursive: true, force: true });
  for (const name of ['project', 'library']) mkdirSync(lab.at(name));
  writeFileSync(lab.at('library/text'), 'approved');
  writeFileSync(lab.at('book'), 'approved');
});

const refusals = async (session: string) =>
  (await lab.api.audit.list({ session, kind: 'agent.refused', order: 'oldest' })).records;

describe('a root that another one has replaced while no agent ran', { timeout: SLOW_MS }, () => {
  it.each(['library', 'book'])(
    'keeps the agent from being started until %s is back, or approved again',
    async (name) => {
      const session = await lab.open([
        { path: lab.at('library'), access: 'ro' },
        { path: lab.at('book'), access: 'ro' },
      ]);
      const look = `cat ${lab.at('library/text')} ${lab.at('book')}`;
      expect(await lab.run(session, look)).toBe('approvedapproved');
      await lab.api.sessions.terminate(session);
      renameSync(lab.at(name), lab.at('away'));
      if (name === 'book') writeFileSync(lab.at(name), 'foreign');
      else {
        mkdirSync(lab.at(name));
        writeFileSync(lab.at(`${name}/text`), 'foreign');
      }
      expect(await lab.attempt(session, look)).toMatch(
        /Root .* was replaced.*approve it again.*reeve roots approve.*Nothing was started/,
      );
      expect(await refusals(session)).toMatchObject([
        { decision: 'deny', facts: { agent: 'shell', reason: 'bad-root' } },
      ]);
      const [lost] = (await lab.api.audit.list({ session, kind: 'root.lost' })).records;
      expect(lost).toMatchObject({ facts: { how: 'replaced' } });

      renameSync(lab.at(name), lab.at('next'));
      renameSync(lab.at('away'), lab.at(name));
      expect(await lab.run(session, look)).toBe('approvedapproved');

      await lab.api.sessions.terminate(session);
      renameSync(lab.at(name), lab.at('away'));
      renameSync(lab.at('next'), lab.at(name));
      expect(await lab.attempt(session, look)).toContain('was replaced');
      const approved = await lab.cli('roots', 'approve', lab.at(name), '--session', session);
      expect([approved.code, approved.stderr]).toEqual([0, '']);
      expect(await lab.run(session, look)).toContain('foreign');
      expect((await lab.api.boundaries.show(session)).lost ?? []).toEqual([]);
      await lab.api.sessions.close(session);
    },
  );
});
