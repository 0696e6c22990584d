import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answered, startAuditRig } from './audit-log.rig.ts';
import { readCheckpoint } from './checkpoint.ts';
import { rootOf } from './merkle-tree.ts';
import { parseVerifier } from './signed-note.ts';
import { newTraceId } from './trace-id.ts';
import { underTrace } from './trace-scope.ts';

const PLANTED = '/home/ada/planted-secret-project/planted-file.ts';

const PERMITTED = async () => ({ kind: 'permitted', policies: ['auditors'], policyHash: 'sha256:0' }) as const;

describe('the audit log', () => {
  it('records start and stop, and signs all that it has at the end', async () => {
    await using rig = await startAuditRig();
    await rig.log.record(answered('s1'));
    await rig.reopen();
    const kinds = (await rig.records()).map(({ kind }) => kind);
    expect(kinds).toEqual(['server.started', 'request.answered', 'server.stopped', 'server.started']);
    const [note] = await rig.store.checkpoints();
    const key = parseVerifier(rig.log.publicKey);
    expect(readCheckpoint(note ?? '', key ? [key] : [])).toMatchObject({ kind: 'signed', checkpoint: { size: 3 } });
    expect(rig.failures).toEqual([]);
  });

  it('says who decided what about which tool, and keeps neither argument nor path', async () => {
    await using rig = await startAuditRig();
    await rig.log.record(answered('s1', [PLANTED, 'relative', '/home/ada/planted-secret-project/../x/./y//']));
    const [, record] = await rig.records();
    expect(record).toMatchObject({
      kind: 'request.answered',
      session: 's1',
      by: 'alice 1.0',
      decision: 'allow',
      cause: 'r-1',
      facts: { asked: 'permission', option: 'allow_once', tool: { kind: 'edit' } },
    });
    expect(record?.places).toHaveLength(2);
    expect(record?.places?.[0]).toMatchObject({ label: rig.log.labelOf(PLANTED), depth: 4, class: 'ordinary' });
    expect(record?.places?.[0]?.above).toContain(rig.log.labelOf('/home/ada'));
    expect(record?.places?.[1]?.label).toBe(rig.log.labelOf('/home/ada/x/y'));
    expect(JSON.stringify(await rig.records())).not.toMatch(/planted/);
  });

  it('writes each record under the trace in which it is told, and one of its own outside of every trace', async () => {
    await using rig = await startAuditRig();
    const [asked, other] = [newTraceId(), newTraceId()];
    await underTrace(asked, async () => {
      await rig.log.record(answered('s1', [PLANTED]));
      rig.log.note({ ...answered('s1'), answerTrace: other });
    });
    await rig.log.record(answered('s2'));
    const traces = (await rig.records()).map(({ trace, answerTrace }) => [trace, answerTrace]);
    const own = expect.stringMatching(/^[\da-f]{32}$/);
    expect(traces).toEqual([
      [own, undefined],
      [asked, undefined],
      [asked, other],
      [own, undefined],
    ]);
    expect(traces[3]).not.toEqual(traces[0]);
  });

  it('has of a place that was refused its label, and no path', async () => {
    await using rig = await startAuditRig();
    const place = { path: PLANTED };
    const refused = { session: 's', decision: 'deny', reason: 'outside', place, count: 3 } as const;
    await rig.log.record({ kind: 'terminal.refused', ...refused });
    await rig.log.record({
      kind: 'boundary.refused',
      by: 'alice',
      decision: 'deny',
      reasons: ['outside', 'missing', 'outside'],
      places: [place, ...Array.from({ length: 70 }, () => place)],
    });
    const [, command, boundary] = await rig.records();
    expect(command).toMatchObject({ session: 's', decision: 'deny', facts: { reason: 'outside', count: 3 } });
    expect(command?.places).toMatchObject([{ label: rig.log.labelOf(PLANTED) }]);
    expect(boundary).toMatchObject({ by: 'alice', facts: { reasons: ['missing', 'outside'], moreLocations: 7 } });
    expect(boundary?.places).toHaveLength(64);
    expect(boundary).not.toHaveProperty('session');
    expect(JSON.stringify(await rig.records())).not.toMatch(/planted/);
  });

  it('keeps of what agents and clients say only what has a known form, cut to size', async () => {
    await using rig = await startAuditRig();
    await rig.log.record({
      kind: 'request.asked',
      session: 's\ud800',
      request: 'r',
      asked: 'permission',
      tool: { kind: 'rm -rf', name: 'cat /etc/passwd' },
      offered: ['allow_once', '/planted'],
      locations: [],
    });
    await rig.log.record({
      kind: 'session.created',
      session: 's',
      by: `a\n${'x'.repeat(500)}`,
      agent: 'a',
      protocolVersion: 1,
    });
    const [, asked, created] = await rig.records();
    expect(asked?.facts).toEqual({ asked: 'permission', offered: ['allow_once', 'other'] });
    expect(asked?.session).toBe('s\ufffd');
    expect(created?.by).toHaveLength(200);
    expect(created?.by).toMatch(/^a x+$/);
  });

  it('tells enforcement by level and by topic of each gap, since a gap may name a path', async () => {
    await using rig = await startAuditRig();
    const enforcement = {
      backend: 'bubblewrap',
      fs: 'partial',
      network: 'enforced',
      limits: 'declared',
      gaps: ['files: "/planted/link" is a symlink, which the process can replace', 'limits: nothing', '/planted'],
    };
    await rig.log.record({
      kind: 'agent.started',
      session: 's',
      agent: 'fake',
      epoch: 1,
      enforcement,
      revision: 3,
      roots: [],
    });
    const [, record] = await rig.records();
    expect(record?.facts).toMatchObject({
      enforcement: { backend: 'bubblewrap', fs: 'partial', gaps: ['files', 'limits', 'other'], verified: 'machine' },
    });
    expect(JSON.stringify(record)).not.toMatch(/planted/);
  });

  it('labels the repository that a root lies in', async () => {
    await using rig = await startAuditRig();
    const repository = join(rig.directory, 'repository');
    await mkdir(join(repository, '.git'), { recursive: true });
    const roots = [
      { path: join(repository, 'packages'), access: 'rw' as const },
      { path: rig.directory, access: 'ro' as const },
    ];
    await rig.log.record({
      kind: 'boundary.set',
      session: 's',
      by: 'alice',
      revision: 1,
      roots,
      network: ['example.org'],
    });
    const [, record] = await rig.records();
    expect(record?.places?.[0]).toMatchObject({ access: 'rw', repository: rig.log.labelOf(repository) });
    expect(record?.places?.[1]).toMatchObject({ access: 'ro' });
    expect(record?.places?.[1]).not.toHaveProperty('repository');
  });

  it('has every root of a boundary, and of the files that an agent names no more than fit', async () => {
    await using rig = await startAuditRig();
    const paths = Array.from({ length: 1500 }, (_, index) => ({ path: `/planted/${index}` }));
    const roots = paths.map(({ path }) => ({ path, access: 'ro' as const }));
    await rig.log.record({ kind: 'boundary.set', session: 's', by: 'alice', revision: 1, roots });
    const request = { session: 's', request: 'r', asked: 'permission', offered: [], locations: paths } as const;
    await rig.log.record({ kind: 'request.asked', ...request });
    const [, boundary, asked] = await rig.records();
    expect(boundary?.places).toHaveLength(1500);
    expect(asked?.places).toHaveLength(64);
    expect(asked?.facts).toMatchObject({ moreLocations: 1500 - 64 });
  });

  it('keeps each key in a file that only its owner reads, and refuses one that others may read', async () => {
    await using rig = await startAuditRig();
    expect((await readdir(rig.directory)).sort()).toEqual(['label.key', 'path.key', 'signing.key', 'signing.pub']);
    for (const name of ['label.key', 'path.key', 'signing.key']) {
      expect((await stat(join(rig.directory, name))).mode & 0o777).toBe(0o600);
    }
    expect((await readFile(join(rig.directory, 'signing.pub'), 'utf8')).trim()).toBe(rig.log.publicKey);
  });

  it('signs a checkpoint with the record that fills its number, not before', async () => {
    await using rig = await startAuditRig({ checkpointRecords: 5 });
    for (let count = 0; count < 3; count += 1) await rig.log.record(answered('s'));
    expect(await rig.store.checkpoints()).toEqual([]);
    await rig.log.record(answered('s'));
    await expect.poll(() => rig.store.checkpoints()).toHaveLength(1);
    expect((await rig.store.lastCheckpoint())?.split('\n')[1]).toBe('5');
  });

  it('signs a checkpoint when its time has come, and none while nothing is new', async () => {
    await using rig = await startAuditRig({ checkpointMs: 30 });
    await expect.poll(() => rig.store.checkpoints()).toHaveLength(1);
    await rig.log.record(answered('s'));
    await expect.poll(() => rig.store.checkpoints()).toHaveLength(2);
    const last = await rig.store.lastCheckpoint();
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await rig.log.checkpoint()).toBe(last);
    expect(await rig.store.checkpoints()).toHaveLength(2);
    expect(last?.split('\n')[2]).toBe(rootOf(await rig.store.tree()).toString('base64'));
  });

  it('reveals paths to who has the key, after that itself is recorded', async () => {
    await using rig = await startAuditRig();
    await rig.log.record(answered('s', [PLANTED]));
    await rig.reopen();
    expect(await rig.log.reveal(1, 'auditor', PERMITTED)).toEqual({
      kind: 'revealed',
      paths: [{ label: rig.log.labelOf(PLANTED), path: PLANTED }],
    });
    expect((await rig.records()).at(-1)).toMatchObject({
      kind: 'audit.path_revealed',
      by: 'auditor',
      cause: '1',
      facts: { paths: 1, policies: ['auditors'], policyHash: 'sha256:0' },
    });
    expect(await rig.log.reveal(0, 'auditor', PERMITTED)).toEqual({ kind: 'no-paths' });
    expect(await rig.log.reveal(99, 'auditor', PERMITTED)).toEqual({ kind: 'unknown' });
  });

  it('reveals nothing to whom policies do not let see it, and has that in the log', async () => {
    await using rig = await startAuditRig();
    await rig.log.record(answered('s', [PLANTED]));
    const asked: unknown[] = [];
    const told = { policies: ['nobody'], policyHash: 'sha256:1' };
    const refused = { kind: 'refused', reason: 'policies forbid it: nobody', next: 'Ask.', ...told } as const;
    const permit = async (session: string | undefined) => {
      asked.push(session);
      return refused;
    };
    expect(await rig.log.reveal(1, 'auditor', permit)).toEqual(refused);
    expect(asked).toEqual(['s']);
    const last = (await rig.records()).at(-1);
    expect(last).toMatchObject({
      kind: 'audit.reveal_refused',
      by: 'auditor',
      decision: 'deny',
      cause: '1',
      facts: { policies: ['nobody'], policyHash: 'sha256:1' },
    });
    expect(JSON.stringify(last)).not.toContain(PLANTED);
  });

  it('has no path left once the path key is destroyed, and seals later ones under a new key', async () => {
    await using rig = await startAuditRig();
    await rig.log.record(answered('s', [PLANTED]));
    await rm(join(rig.directory, 'path.key'));
    expect(await rig.log.reveal(1, 'auditor', PERMITTED)).toEqual({ kind: 'destroyed' });
    await rig.reopen();
    await rig.log.record(answered('s', [PLANTED]));
    const records = await rig.records();
    expect(await rig.log.reveal(1, 'auditor', PERMITTED)).toEqual({ kind: 'destroyed' });
    expect(await rig.log.reveal(records.length - 1, 'auditor', PERMITTED)).toMatchObject({ kind: 'revealed' });
    expect(records.at(-1)?.places?.[0]?.label).toBe(records[1]?.places?.[0]?.label);
  });

  it('goes on under a new key that the old one vouched for', async () => {
    await using rig = await startAuditRig();
    const before = rig.log.publicKey;
    const after = await rig.log.rotateKey('alice');
    expect(after).not.toBe(before);
    const note = (await rig.store.lastCheckpoint()) ?? '';
    for (const key of [before, after]) {
      const verifier = parseVerifier(key);
      expect(readCheckpoint(note, verifier ? [verifier] : []).kind).toBe('signed');
    }
    expect((await rig.records()).at(-1)).toMatchObject({
      kind: 'audit.key_rotated',
      by: 'alice',
      facts: { before, after },
    });
    await rig.reopen();
    expect(rig.log.publicKey).toBe(after);
    expect((await rig.records()).map(({ kind }) => kind)).not.toContain('audit.key_replaced');
  });

  it('says in the log that the signing key was replaced, when it was lost', async () => {
    await using rig = await startAuditRig();
    await rig.log[Symbol.asyncDispose]();
    await rm(join(rig.directory, 'signing.key'));
    await rig.reopen();
    const replaced = (await rig.records()).find(({ kind }) => kind === 'audit.key_replaced');
    expect(replaced?.facts).toEqual({ after: rig.log.publicKey });
  });
});
