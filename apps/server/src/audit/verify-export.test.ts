import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { answered, startAuditRig } from './audit-log.rig.ts';
import { exportLines } from './export-lines.ts';
import { newTraceId } from './trace-id.ts';
import { underTrace } from './trace-scope.ts';
import { UnverifiableError, verifyExport } from './verify-export.ts';

const RECORDS = 40;
/** How the records of the export look, to be tampered with. */
const RECORD = '{"kind":"record"';

interface Exported {
  readonly lines: readonly string[];
  readonly key: string;
  readonly checkpoint: string;
}

/** A log of 40 records, with a checkpoint after each ten. */
async function exported(count = RECORDS): Promise<Exported> {
  await using rig = await startAuditRig({ checkpointRecords: 10 });
  for (let seq = 1; seq < count; seq += 1) {
    await rig.log.record(answered(`session-${seq}`, [`/home/ada/projects/file-${seq}`]));
    if (seq % 10 === 9) await rig.log.checkpoint();
  }
  return {
    lines: await Array.fromAsync(exportLines(rig.log)),
    key: rig.log.publicKey,
    checkpoint: await rig.log.checkpoint(),
  };
}

const at = (lines: readonly string[], seq: number): number => lines.findIndex((line) => line.includes(`"seq":${seq},`));

describe('the check of an export', () => {
  it('finds nothing wrong with what nobody touched', async () => {
    const { lines, key } = await exported();
    expect(await verifyExport(lines, { keys: [key] })).toMatchObject({
      kind: 'intact',
      records: RECORDS,
      covered: RECORDS,
      problems: [],
      keyFromExport: false,
      complete: true,
    });
    expect(await verifyExport(lines)).toMatchObject({ kind: 'intact', keyFromExport: true });
  });

  it('finds nothing wrong with records from before they had a trace, and with such a log that went on', async () => {
    await using rig = await startAuditRig();
    const old = { v: 1, at: 1, kind: 'request.answered', session: 's1', facts: { asked: 'permission' } } as const;
    await rig.store.append(old);
    const checkpoints = [await rig.log.checkpoint()];
    await rig.log.record(answered('s1'));
    const lines = await Array.fromAsync(exportLines(rig.log));
    expect(lines[at(lines, 1)]).not.toContain('trace');
    expect(lines[at(lines, 2)]).toMatch(/"trace":"[\da-f]{32}"/);
    const verdict = await verifyExport(lines, { keys: [rig.log.publicKey], checkpoints });
    expect(verdict).toMatchObject({ kind: 'intact', records: 3, covered: 3, problems: [] });
  });

  it('gives what a trace has with a proof of each, and names a record that was moved to another trace', async () => {
    await using rig = await startAuditRig();
    const [trace, other] = [newTraceId(), newTraceId()];
    for (const one of [other, trace, other, trace]) await underTrace(one, () => rig.log.record(answered('s1')));
    const lines = await Array.fromAsync(exportLines(rig.log, { trace }));
    const keys = [rig.log.publicKey];
    expect(await verifyExport(lines, { keys })).toMatchObject({ kind: 'intact', records: 2, complete: false });
    const index = at(lines, 4);
    const moved = lines.with(index, (lines[index] as string).replace(trace, other));
    expect(await verifyExport(moved, { keys })).toMatchObject({
      kind: 'damaged',
      problems: [{ kind: 'changed', seq: 4 }],
    });
  });

  it('names the record in which one bit was flipped, in whichever byte of it', async () => {
    const { lines, key } = await exported(9);
    const index = at(lines, 7);
    const line = Buffer.from(lines[index] as string);
    for (let byte = 0; byte < line.byteLength; byte += 1) {
      const flipped = Buffer.from(line);
      flipped[byte] = (flipped[byte] as number) ^ (1 << (byte & 7));
      const verdict = await verifyExport(lines.with(index, flipped.toString('latin1')), { keys: [key] });
      expect(verdict.kind, `byte ${byte}: ${flipped}`).toBe('damaged');
      const named = verdict.problems.some(({ seq, last = seq, message }) => {
        return (seq !== undefined && seq <= 7 && (last as number) >= 7) || message.includes(`line ${index + 1} `);
      });
      expect(named, `byte ${byte}: ${JSON.stringify(verdict.problems)}`).toBe(true);
    }
  });

  it('names the record in which one word was changed, with its hash as it was', async () => {
    const { lines, key } = await exported();
    const index = at(lines, 23);
    const changed = (lines[index] as string).replace('"decision":"allow"', '"decision":"deny"');
    const { problems } = await verifyExport(lines.with(index, changed), { keys: [key] });
    expect(problems).toEqual([
      {
        kind: 'changed',
        seq: 23,
        message: expect.stringMatching(/record 23 \(request.answered, .*session-23\) was changed/),
      },
    ]);
  });

  it('narrows a record that was changed together with its hash down to the checkpoint before and after', async () => {
    const { lines, key } = await exported();
    const index = at(lines, 23);
    const other = lines[at(lines, 24)] as string;
    const forged = (lines[index] as string).replace(/"leaf":"[^"]+"/, /"leaf":"[^"]+"/.exec(other)?.[0] as string);
    const rehashed = await forge(lines[index] as string);
    for (const line of [forged, rehashed]) {
      const { problems } = await verifyExport(lines.with(index, line), { keys: [key] });
      expect(problems).toHaveLength(1);
      const { seq = -1, last = seq } = problems[0] ?? {};
      expect(seq <= 23 && last >= 23 && last - seq < 10).toBe(true);
    }
  });

  it('goes through 100,000 records, and names the one that was changed', async () => {
    const { audit: store } = openMemoryStore();
    await using rig = await startAuditRig({ checkpointRecords: 256 }, store);
    for (let seq = 1; seq < 100_000; seq += 1) await rig.log.record(answered(`session-${seq % 100}`));
    const lines = await Array.fromAsync(exportLines(rig.log));
    expect(await verifyExport(lines, { keys: [rig.log.publicKey] })).toMatchObject({
      kind: 'intact',
      records: 100_000,
    });
    const index = at(lines, 77_777);
    const changed = (lines[index] as string).replace('"decision":"allow"', '"decision":"deny"');
    const { problems } = await verifyExport(lines.with(index, changed), { keys: [rig.log.publicKey] });
    expect(problems).toMatchObject([{ kind: 'changed', seq: 77_777 }]);
  }, 180_000);

  it('names a record that was removed', async () => {
    const { lines, key } = await exported();
    const { problems } = await verifyExport(lines.toSpliced(at(lines, 17), 1), { keys: [key] });
    expect(problems).toEqual([
      { kind: 'missing', seq: 17, last: 17, message: expect.stringMatching(/record 17 is missing/) },
    ]);
  });

  it('names two records that were swapped, and nothing else', async () => {
    const { lines, key } = await exported();
    const [one, two] = [at(lines, 11), at(lines, 30)];
    const swapped = lines.with(one, lines[two] as string).with(two, lines[one] as string);
    const { problems } = await verifyExport(swapped, { keys: [key] });
    expect(problems.map(({ kind, seq }) => ({ kind, seq }))).toEqual([
      { kind: 'moved', seq: 30 },
      { kind: 'moved', seq: 11 },
    ]);
  });

  it('names the records of a tail that was cut, also where the end was made to fit', async () => {
    const { lines, key } = await exported();
    const first = at(lines, 35);
    for (const cut of [lines.slice(0, first), [...lines.slice(0, first), '{"kind":"end","records":35}']]) {
      const { problems } = await verifyExport(cut, { keys: [key] });
      expect(problems).toEqual([
        { kind: 'cut', seq: 35, last: 39, message: expect.stringMatching(/records 35 to 39 are missing at its end/) },
      ]);
    }
  });

  it('finds by a checkpoint that was kept that the log was cut back to an earlier checkpoint of its own', async () => {
    const { lines, key, checkpoint } = await exported();
    const earlier = lines.filter((line) => line.startsWith('{"kind":"checkpoint"')).slice(0, 2);
    const { note } = JSON.parse(earlier[1] as string) as { note: string };
    const size = Number(note.split('\n')[1]);
    const header = JSON.stringify({ ...JSON.parse(lines[0] as string), checkpoint: note });
    const records = lines.filter((line) => line.startsWith(RECORD)).slice(0, size);
    const cut = [header, ...earlier, ...records, `{"kind":"end","records":${size}}`];
    expect(await verifyExport(cut, { keys: [key] })).toMatchObject({ kind: 'intact', records: size });
    const { problems } = await verifyExport(cut, { keys: [key], checkpoints: [checkpoint] });
    expect(problems).toMatchObject([{ kind: 'cut', seq: size, last: RECORDS - 1 }]);
  });

  it('finds by a checkpoint that was kept that the whole log was written and signed anew', async () => {
    const [{ checkpoint }, other] = [await exported(), await exported()];
    const origin = (JSON.parse(other.lines[0] as string) as { origin: string }).origin;
    const { problems } = await verifyExport(other.lines, { keys: [other.key], checkpoints: [checkpoint] });
    expect(problems).toMatchObject([{ kind: 'checkpoint', message: expect.stringContaining(origin) }]);
  });

  it('trusts no other key than it was told, and none that is not one', async () => {
    const [one, other] = [await exported(5), await exported(5)];
    const verdict = await verifyExport(one.lines, { keys: [other.key] });
    expect(verdict).toMatchObject({ kind: 'damaged', covered: 0 });
    expect(verdict.problems[0]?.message).toMatch(/signed by no trusted key/);
    await expect(verifyExport(one.lines, { keys: ['nonsense'] })).rejects.toBeInstanceOf(UnverifiableError);
    for (const lines of [[], [''], ['nonsense'], ['{}'], [one.lines[3] as string]]) {
      await expect(verifyExport(lines)).rejects.toBeInstanceOf(UnverifiableError);
    }
  });

  it('follows a rotation of keys from the old key to the new one, and back', async () => {
    await using rig = await startAuditRig({ checkpointRecords: 10 });
    const old = rig.log.publicKey;
    for (let count = 0; count < 25; count += 1) await rig.log.record(answered('s'));
    const next = await rig.log.rotateKey('alice');
    for (let count = 0; count < 25; count += 1) await rig.log.record(answered('s'));
    const lines = await Array.fromAsync(exportLines(rig.log));
    for (const key of [old, next]) {
      expect(await verifyExport(lines, { keys: [key] })).toMatchObject({ kind: 'intact', covered: 52, problems: [] });
    }
  });

  it('says of a key that was lost which records another key vouches for', async () => {
    await using rig = await startAuditRig({ checkpointRecords: 10 });
    for (let count = 0; count < 25; count += 1) await rig.log.record(answered('s'));
    await rig.reopen();
    const lines = await Array.fromAsync(exportLines(rig.log));
    const strange = lines.map((line) => {
      if (!line.startsWith('{"kind":"checkpoint"')) return line;
      return JSON.stringify({ kind: 'checkpoint', note: JSON.parse(line).note.replace(/(— \S+ )\S{8}/, '$1AAAAAAAA') });
    });
    const verdict = await verifyExport(strange, { keys: [rig.log.publicKey] });
    expect(verdict).toMatchObject({ kind: 'intact', notes: [expect.stringMatching(/signed by other keys/)] });
  });

  it('checks each record of a part of the log by its own proof', async () => {
    await using rig = await startAuditRig({ checkpointRecords: 10 });
    for (let seq = 1; seq < RECORDS; seq += 1) await rig.log.record(answered(`session-${seq % 3}`));
    const lines = await Array.fromAsync(exportLines(rig.log, { session: 'session-1' }));
    const key = rig.log.publicKey;
    const verdict = await verifyExport(lines, { keys: [key] });
    expect(verdict).toMatchObject({ kind: 'intact', records: 13, complete: false, problems: [] });
    const index = at(lines, 7);
    const changed = lines.with(index, (lines[index] as string).replace('"allow"', '"deny"'));
    expect((await verifyExport(changed, { keys: [key] })).problems).toMatchObject([{ kind: 'changed', seq: 7 }]);
    const shorter = lines.toSpliced(index, 1);
    expect((await verifyExport(shorter, { keys: [key] })).problems).toMatchObject([{ kind: 'cut' }]);
    const foreign = lines.with(index, (lines[index] as string).replace('"seq":7', '"seq":8'));
    expect((await verifyExport(foreign, { keys: [key] })).problems).toMatchObject([{ kind: 'changed', seq: 8 }]);
  });
});

/** The line with another record and the hash that belongs to it. */
async function forge(line: string): Promise<string> {
  const { leafHash } = await import('./merkle-tree.ts');
  const body = line.slice(line.indexOf(',"record":') + 10, -1).replace('"decision":"allow"', '"decision":"deny"');
  return `{"kind":"record","leaf":"${leafHash(body).toString('base64')}","record":${body}}`;
}
