import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectReeve } from '@reeve/client';
import { verifyExport } from '@reeve/server/audit';
import { type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PLANTED = 'planted-customer-name';
const KILLS = 3;

let home: string;
let project: string;
let reeve: SpawnedReeve | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reeve-audit-'));
  project = join(home, PLANTED);
  mkdirSync(project);
});
afterEach(async () => {
  await reeve?.[Symbol.asyncDispose]();
  reeve = undefined;
  rmSync(home, { recursive: true, force: true });
});

const asks = (id: string) =>
  script(
    {
      permission: {
        title: `rm -rf ${project}/title`,
        options: [
          { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      },
    },
    { say: id },
  );

describe('the audit log of a whole server', () => {
  it('says by which policies is decided, also where no session was opened yet', async () => {
    reeve = await startReeve({ dataDir: join(home, 'data') });
    const { audit } = connectReeve(reeve);
    const loaded = async () => (await audit.list({ kind: 'policy.loaded' })).records;
    await expect.poll(loaded).toMatchObject([{ by: 'reeve' }]);
  });

  it('has every answer that was acknowledged, and verifies, after the server was killed in the middle of an answer', async () => {
    const acknowledged: { readonly id: string; readonly decision: string }[] = [];
    for (let round = 0; round <= KILLS; round += 1) {
      reeve = await startReeve({ dataDir: join(home, 'data') });
      const { audit, sessions, requests } = connectReeve(reeve);
      const { session } = await sessions.create({ agent: 'fake', cwd: project });
      for (const [index, reply] of (['once', 'reject', 'once'] as const).entries()) {
        await sessions.beginPrompt(session.sessionId, { prompt: asks(String(index)) });
        const request = await waiting(() => requests.list({ session: session.sessionId }));
        const { id } = await requests.answer(request, { reply });
        acknowledged.push({ id, decision: reply === 'once' ? 'allow' : 'deny' });
      }
      if (round === KILLS) {
        const key = (await audit.checkpoint()).key;
        const lines = await Array.fromAsync(audit.export());
        expect(await verifyExport(lines, { keys: [key] })).toMatchObject({ kind: 'intact', problems: [] });
        const records = lines
          .filter((line) => line.startsWith('{"kind":"record"'))
          .map((line) => JSON.parse(line).record);
        const answers = records.filter(({ kind }) => kind === 'request.answered');
        for (const { id, decision } of acknowledged) {
          expect(answers).toContainEqual(expect.objectContaining({ cause: id, decision, by: 'reeve-sdk 0.1.0' }));
        }
        const kinds = records.map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'server.started')).toHaveLength(KILLS + 1);
        expect(kinds).not.toContain('server.stopped');
        for (const kind of ['session.created', 'boundary.set', 'agent.started', 'request.asked']) {
          expect(kinds.filter((one) => one === kind).length).toBeGreaterThanOrEqual(KILLS + 1);
        }
      }
      await sessions.beginPrompt(session.sessionId, { prompt: asks('last') });
      const last = await waiting(() => requests.list({ session: session.sessionId }));
      const racing = requests.answer(last, { reply: 'reject' }).then(
        () => acknowledged.push({ id: last, decision: 'deny' }),
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      await reeve.kill('SIGKILL');
      await racing;
      reeve = undefined;
    }
  });

  it('holds no path, argument or secret in the clear, and neither does the log of the server', async () => {
    reeve = await startReeve({ dataDir: join(home, 'data') });
    const { audit, sessions, requests } = connectReeve(reeve);
    const mcpServers = [
      {
        name: 'files',
        command: 'true',
        args: ['planted-argument'],
        env: [{ name: 'TOKEN', value: 'planted-environment' }],
      },
    ];
    const { session } = await sessions.create({ agent: 'fake', cwd: project, mcpServers });
    await sessions.beginPrompt(session.sessionId, { prompt: asks('x') });
    const request = await waiting(() => requests.list({ session: session.sessionId }));
    await requests.answer(request, { reject: 'planted-reason' });
    await sessions.close(session.sessionId);

    const found = await audit.list({ under: home, limit: 1000 });
    expect(found.records.map(({ kind }) => kind)).toContain('boundary.set');
    const root = found.records.find(({ kind }) => kind === 'boundary.set');
    expect((await audit.reveal(root?.seq ?? -1)).map(({ path }) => path)).toEqual([expect.stringContaining(PLANTED)]);
    const told = [await Array.fromAsync(audit.export()), await Array.fromAsync(audit.export({ format: 'ocsf' }))];
    expect(told.flat().join('\n')).not.toMatch(/planted/);
    expect(reeve.stderr()).not.toMatch(/planted/);

    // The path key gone, nothing has the paths of the log any more, and it verifies all the same.
    await reeve[Symbol.asyncDispose]();
    rmSync(join(home, 'data', 'audit', 'path.key'));
    reeve = await startReeve({ dataDir: join(home, 'data') });
    const again = connectReeve(reeve);
    await expect(again.audit.reveal(root?.seq ?? -1)).rejects.toMatchObject({ code: 'conflict' });
    expect(await again.audit.verify()).toMatchObject({ kind: 'intact' });
    const keys = readdirSync(join(home, 'data', 'audit'));
    for (const name of keys.filter((one) => one.endsWith('.key'))) {
      expect(statSync(join(home, 'data', 'audit', name)).mode & 0o077).toBe(0);
    }
  });

  it('finds in its own store what somebody changed there', async () => {
    const dataDir = join(home, 'data');
    reeve = await startReeve({ dataDir });
    const { sessions } = connectReeve(reeve);
    for (let count = 0; count < 3; count += 1) await sessions.create({ agent: 'fake', cwd: project });
    await reeve[Symbol.asyncDispose]();
    const file = join(dataDir, 'reeve.db');
    const bytes = readFileSync(file, 'latin1');
    const place = bytes.indexOf('"kind":"session.created"');
    expect(place).toBeGreaterThan(0);
    writeFileSync(file, bytes.replace('"kind":"session.created"', '"kind":"session.deleted"'), 'latin1');
    reeve = await startReeve({ dataDir });
    const verdict = await connectReeve(reeve).audit.verify();
    expect(verdict.kind).toBe('damaged');
    expect(verdict.problems).toMatchObject([
      { kind: 'changed', message: expect.stringMatching(/session.deleted.*was changed/) },
    ]);
  });
});

async function waiting(list: () => Promise<readonly { readonly id: string }[]>): Promise<string> {
  let id: string | undefined;
  await expect
    .poll(async () => {
      id = (await list())[0]?.id;
      return id;
    })
    .toBeDefined();
  return id as string;
}
