import { expect, it } from 'vitest';
import type { AuditRecord, NewRecord } from '../audit/audit-record.ts';
import type { AuditStore, RecordQuery } from '../audit/audit-store.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { EMPTY, grown, leafHash, rootOf } from '../audit/merkle-tree.ts';
import { LOOK_RECORDS } from './audit-page.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

export function describeAuditStoreContract(subject: StoreUnderTest): void {
  const audit = (): AuditStore => subject.store.audit;

  it('numbers records from 0 without gaps, in the order of their calls, and keeps their canonical JSON', async () => {
    const numbers = await Promise.all(['a', 'b', 'c'].map((session) => audit().append(record({ session }))));
    expect(numbers).toEqual([0, 1, 2]);
    const { records } = await audit().read({ order: 'oldest', limit: 10 });
    for (const [seq, { body, leaf }] of records.entries()) {
      expect(body).toBe(canonicalJson({ ...record({ session: 'abc'[seq] as string }), seq }));
      expect(Buffer.from(leaf)).toEqual(leafHash(body));
    }
  });

  it('has a record that nobody waits for, in the order of the calls, for reads at once, and by itself after a while', async () => {
    const first = audit().append(record({ session: 'a' }), 'unhurried');
    const second = audit().append(record({ session: 'b' }));
    const third = audit().append(record({ session: 'c' }), 'unhurried');
    const { records } = await audit().read({ order: 'oldest', limit: 10 });
    expect(records.map(({ body }) => JSON.parse(body).session)).toEqual(['a', 'b', 'c']);
    expect(await Promise.all([first, second, third])).toEqual([0, 1, 2]);
    expect(await audit().append(record(), 'unhurried')).toBe(3);
  });

  it('loses no record that nobody waited for when it is closed', async () => {
    const left = audit().append(record(), 'unhurried');
    if (subject.persistent) await subject.reopen();
    expect(await left).toBe(0);
    expect((await audit().tree()).size).toBe(1);
  });

  it('grows its tree with each record', async () => {
    let tree = EMPTY;
    expect(rootOf(await audit().tree())).toEqual(rootOf(EMPTY));
    for (let seq = 0; seq < 20; seq += 1) {
      await audit().append(record({ at: seq }));
      tree = grown(tree, leafHash(canonicalJson({ ...record({ at: seq }), seq })));
      const stored = await audit().tree();
      expect(stored.size).toBe(seq + 1);
      expect(rootOf(stored)).toEqual(rootOf(tree));
    }
    const leaves = await audit().leaves(7);
    expect(leaves.byteLength).toBe(7 * 32);
    const { records } = await audit().read({ order: 'oldest', limit: 7 });
    expect(Buffer.from(leaves)).toEqual(Buffer.concat(records.map(({ leaf }) => leaf)));
  });

  it('refuses a record that has no canonical JSON, and leaves no gap for it', async () => {
    const results = await Promise.allSettled([
      audit().append(record()),
      audit().append(record({ facts: { half: '\ud800' } })),
      audit().append(record()),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'invalid' } });
    expect(results[2]).toMatchObject({ value: 1 });
    expect((await audit().tree()).size).toBe(2);
  });

  it('finds records by session, kind, decision, time, and label of a place or a directory above it', async () => {
    const place = { label: 'file', above: ['directory', 'top'], depth: 3, class: 'ordinary' as const };
    await audit().append(record({ session: 's1', kind: 'k1', at: 10, decision: 'allow', places: [place] }));
    await audit().append(
      record({ session: 's2', kind: 'k1', at: 20, places: [{ ...place, label: 'directory', above: ['top'] }] }),
    );
    await audit().append(record({ session: 's1', kind: 'k2', at: 30, decision: 'deny', places: [place, place] }));
    expect(await found({ session: 's1' })).toEqual([0, 2]);
    expect(await found({ kind: 'k1' })).toEqual([0, 1]);
    expect(await found({ decision: 'deny' })).toEqual([2]);
    expect(await found({ since: 20 })).toEqual([1, 2]);
    expect(await found({ until: 20 })).toEqual([0]);
    expect(await found({ label: 'directory' })).toEqual([0, 1, 2]);
    expect(await found({ label: 'file' })).toEqual([0, 2]);
    expect(await found({ label: 'file', session: 's1', kind: 'k2' })).toEqual([2]);
    expect(await found({ label: 'other' })).toEqual([]);
  });

  it('finds records by their trace, also by that of whoever answered, and with other conditions', async () => {
    const [one, other] = ['1', '2'].map((digit) => digit.repeat(32)) as [string, string];
    await audit().append(record({ trace: one }));
    await audit().append(record({ trace: other, answerTrace: one, kind: 'request.answered' }));
    await audit().append(record({ trace: other }));
    await audit().append(record());
    expect(await found({ trace: one })).toEqual([0, 1]);
    expect(await found({ trace: other })).toEqual([1, 2]);
    expect(await found({ trace: one, kind: 'request.answered' })).toEqual([1]);
    expect(await found({ trace: '3'.repeat(32) })).toEqual([]);
    expect(await found({ label: one })).toEqual([]);
  });

  it('finds records of an MCP server by its name or its fingerprint, and with other conditions', async () => {
    const server = { name: 'files', fingerprint: 'sha256:1' };
    await audit().append(record({ kind: 'mcp.admitted', facts: { server } }));
    await audit().append(record({ kind: 'mcp.called', facts: { server, agent: 'other' } }));
    await audit().append(record({ kind: 'mcp.called', facts: { server: { name: 'other', fingerprint: 'sha256:2' } } }));
    await audit().append(record({ kind: 'mcp.forgotten', facts: { fingerprint: 'sha256:1', decisions: 1 } }));
    await audit().append(record());
    expect(await found({ server: 'files' })).toEqual([0, 1]);
    expect(await found({ server: 'sha256:1' })).toEqual([0, 1, 3]);
    expect(await found({ server: 'other' })).toEqual([2]);
    expect(await found({ server: 'files', kind: 'mcp.called' })).toEqual([1]);
    expect(await found({ server: 'file' })).toEqual([]);
  });

  it('gives pages in both orders, also over more records than one look goes through', async () => {
    const count = LOOK_RECORDS + 20;
    const wanted = new Set([0, 1, LOOK_RECORDS - 1, LOOK_RECORDS, count - 1]);
    await Promise.all(
      Array.from({ length: count }, (_, seq) => audit().append(record({ kind: wanted.has(seq) ? 'wanted' : 'other' }))),
    );
    for (const order of ['oldest', 'newest'] as const) {
      const seen: number[] = [];
      let from: number | undefined;
      do {
        const page = await audit().read({ order, kind: 'wanted', limit: 2, ...(from === undefined ? {} : { from }) });
        seen.push(...page.records.map(({ seq }) => seq));
        from = page.next;
      } while (from !== undefined);
      expect(seen).toEqual(order === 'oldest' ? [...wanted] : [...wanted].reverse());
    }
    expect(await audit().read({ order: 'oldest', from: count, limit: 5 })).toEqual({ records: [] });
  });

  it('keeps checkpoints by size, one of each, and what is kept beside the log', async () => {
    expect(await audit().lastCheckpoint()).toBeUndefined();
    for (const [size, note] of [
      [5, 'five'],
      [2, 'two'],
      [5, 'five again'],
    ] as const) {
      await audit().addCheckpoint(size, note);
    }
    expect(await audit().checkpoints()).toEqual(['two', 'five again']);
    expect(await audit().lastCheckpoint()).toBe('five again');
    expect(await audit().kept('name')).toBeUndefined();
    await audit().keep('name', 'one');
    await audit().keep('name', 'other');
    expect(await audit().kept('name')).toBe('other');
  });

  it('goes on where it was when it is opened again', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    for (let count = 0; count < 5; count += 1) await audit().append(record());
    const before = await audit().tree();
    await audit().addCheckpoint(5, 'note');
    await subject.reopen();
    expect(rootOf(await audit().tree())).toEqual(rootOf(before));
    expect(await audit().append(record())).toBe(5);
    expect(await audit().lastCheckpoint()).toBe('note');
  });

  async function found(filter: Partial<RecordQuery>): Promise<readonly number[]> {
    const { records } = await audit().read({ order: 'oldest', limit: 100, ...filter });
    return records.map(({ body }) => (JSON.parse(body) as AuditRecord).seq);
  }
}

function record(members: Partial<NewRecord> = {}): NewRecord {
  return { v: 1, at: 1, kind: 'session.created', facts: { agent: 'fake' }, ...members };
}
