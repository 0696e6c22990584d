import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectReeve, type Reeve } from '@reeve/client';
import { type SpawnedReeve, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';
import { SHELL_AGENT } from './shell-agent.ts';

/** Processes are started, in sandboxes. */
const SLOW_MS = 120_000;

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
const at = (name: string): string => join(base, name);

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-replaced-roots-')));
  for (const name of ['home', 'programs']) mkdirSync(at(name));
  writeFileSync(at('programs/agent.cjs'), SHELL_AGENT);
  const shell = {
    command: process.execPath,
    args: [at('programs/agent.cjs')],
    sandbox: { readOnly: [at('programs')], network: 'none' },
  };
  const config = { sandbox: {}, agents: { shell }, defaultAgent: 'shell' };
  reeve = await startReeve({ config, env: { HOME: at('home') } });
  api = connectReeve(reeve);
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  for (const name of ['project', 'library', 'book', 'away', 'next']) rmSync(at(name), { recursive: true, force: true });
  for (const name of ['project', 'library']) mkdirSync(at(name));
  writeFileSync(at('library/text'), 'approved');
  writeFileSync(at('book'), 'approved');
});

async function open(): Promise<string> {
  const roots = [
    { path: at('project'), access: 'rw' },
    { path: at('library'), access: 'ro' },
    { path: at('book'), access: 'ro' },
  ];
  const { session } = await api.sessions.create({ cwd: at('project'), metadata: { boundary: { roots } } });
  return session.sessionId;
}

/** What the agent prints that runs this in its sandbox, or why there is none. */
async function run(session: string, prompt: string): Promise<string> {
  return api.sessions.prompt(session, { prompt }).then(({ text = '' }) => text, String);
}

const refusals = async (session: string) =>
  (await api.audit.list({ session, kind: 'agent.refused', order: 'oldest' })).records;

describe('a root that another one has replaced while no agent ran', { timeout: SLOW_MS }, () => {
  it.each(['library', 'book'])(
    'keeps the agent from being started until %s is back, or approved again',
    async (name) => {
      const session = await open();
      const look = `cat ${at('library/text')} ${at('book')}`;
      expect(await run(session, look)).toBe('approvedapproved');
      await api.sessions.terminate(session);
      renameSync(at(name), at('away'));
      if (name === 'book') writeFileSync(at(name), 'foreign');
      else {
        mkdirSync(at(name));
        writeFileSync(at(`${name}/text`), 'foreign');
      }
      expect(await run(session, look)).toMatch(
        /Root .* was replaced.*approve it again.*reeve roots approve.*Nothing was started/,
      );
      expect(await refusals(session)).toMatchObject([
        { decision: 'deny', facts: { agent: 'shell', reason: 'bad-root' } },
      ]);
      const [lost] = (await api.audit.list({ session, kind: 'root.lost' })).records;
      expect(lost).toMatchObject({ facts: { how: 'replaced' } });

      renameSync(at(name), at('next'));
      renameSync(at('away'), at(name));
      expect(await run(session, look)).toBe('approvedapproved');

      await api.sessions.terminate(session);
      renameSync(at(name), at('away'));
      renameSync(at('next'), at(name));
      expect(await run(session, look)).toContain('was replaced');
      const approved = await runCli(['roots', 'approve', at(name), '--session', session], {
        REEVE_URL: reeve.url,
        REEVE_TOKEN: reeve.token,
        HOME: base,
      });
      expect([approved.code, approved.stderr]).toEqual([0, '']);
      expect(await run(session, look)).toContain('foreign');
      expect((await api.boundaries.show(session)).lost ?? []).toEqual([]);
      await api.sessions.close(session);
    },
  );
});
