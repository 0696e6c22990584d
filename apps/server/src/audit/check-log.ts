import type { AuditProblem } from '@reeve/protocol';
import { type ReadCheckpoint, readCheckpoint } from './checkpoint.ts';
import { EMPTY, type Frontier, grown, rootOf } from './merkle-tree.ts';
import { type NoteVerifier, parseVerifier } from './signed-note.ts';

/** A record as it was found. */
export interface FoundRecord {
  readonly seq: number;
  /** Hash of what stands there. */
  readonly hash: Buffer;
  /** The hash that stands beside it. */
  readonly leaf: Buffer;
  /** Kind, time and session, for people. */
  readonly about: string;
  /** The keys that a record about a change of keys names. */
  readonly keys?: readonly string[];
}

export interface LogToCheck {
  readonly origin: string;
  /** In the order in which they were found. */
  readonly records: readonly FoundRecord[];
  readonly checkpoints: readonly { readonly note: string; readonly whose: 'log' | 'kept' }[];
  readonly trusted: readonly NoteVerifier[];
}

export interface LogCheck {
  readonly problems: readonly AuditProblem[];
  readonly notes: readonly string[];
  readonly covered: number;
}

interface Anchor {
  readonly read: Exclude<ReadCheckpoint, { kind: 'malformed' }>;
  readonly whose: 'log' | 'kept';
  /** Set when the records up to it were gone through: whether they are those that it covers. */
  fits?: boolean;
}

/** Checks a whole log against its checkpoints, and names what is wrong. */
export function checkLog({ origin, records, checkpoints, trusted }: LogToCheck): LogCheck {
  const problems: AuditProblem[] = [];
  const bySeq = inPlace(records, problems);
  const named = records.flatMap(({ keys = [] }) => keys.map(parseVerifier)).filter((key) => key !== undefined);
  const anchors = readAnchors(origin, checkpoints, [...trusted, ...named], problems);
  const size = Math.max(...anchors.map(({ read }) => read.checkpoint.size), 0);
  const count = records.reduce((most, { seq }) => Math.max(most, seq + 1), 0);
  const whole = lookForGaps(bySeq, count, problems);
  if (count < size) problems.push(cut(count, size));
  compare(bySeq, whole, anchors, problems);
  const { notes, covered } = trust(anchors, records, trusted, problems);
  if (covered < whole) notes.push(`${whole - covered} of the newest records are under no trusted checkpoint yet`);
  return { problems, notes, covered };
}

/** The records by number; those that do not stand in the order of their numbers are told. */
function inPlace(records: readonly FoundRecord[], problems: AuditProblem[]): ReadonlyMap<number, FoundRecord> {
  const bySeq = new Map<number, FoundRecord>();
  const firsts = records.filter((record) => {
    const known = bySeq.has(record.seq);
    if (known)
      problems.push({
        kind: 'repeated',
        seq: record.seq,
        message: `record ${record.seq} (${record.about}) is there twice`,
      });
    else bySeq.set(record.seq, record);
    return !known;
  });
  const sorted = firsts.map(({ seq }) => seq).sort((a, b) => a - b);
  for (const [index, { seq, about }] of firsts.entries()) {
    const place = sorted[index] as number;
    if (place === seq) continue;
    problems.push({ kind: 'moved', seq, message: `record ${seq} (${about}) stands where record ${place} belongs` });
  }
  return bySeq;
}

function readAnchors(
  origin: string,
  checkpoints: LogToCheck['checkpoints'],
  keys: readonly NoteVerifier[],
  problems: AuditProblem[],
): Anchor[] {
  const anchors: Anchor[] = [];
  for (const { note, whose } of checkpoints) {
    const read = readCheckpoint(note, keys);
    const which = whose === 'kept' ? 'the checkpoint that was given' : 'a checkpoint of the log';
    if (read.kind === 'malformed') problems.push({ kind: 'checkpoint', message: `${which} is none: it was changed` });
    else if (read.checkpoint.origin !== origin) {
      problems.push({
        kind: 'checkpoint',
        message: `${which} is of another log (${read.checkpoint.origin}, this one is ${origin})`,
      });
    } else anchors.push({ read, whose });
  }
  return anchors.sort((a, b) => a.read.checkpoint.size - b.read.checkpoint.size);
}

/** How many records there are before the first gap. */
function lookForGaps(bySeq: ReadonlyMap<number, FoundRecord>, count: number, problems: AuditProblem[]): number {
  let whole = count;
  for (let seq = 0; seq < count; seq += 1) {
    if (bySeq.has(seq)) continue;
    whole = Math.min(whole, seq);
    let last = seq;
    while (!bySeq.has(last + 1)) last += 1;
    problems.push({ kind: 'missing', seq, last, message: `${numbers(seq, last)} missing, and later ones are there` });
    seq = last;
  }
  return whole;
}

function cut(count: number, size: number): AuditProblem {
  const message = `the log was cut: a checkpoint covers ${size} records, and ${numbers(count, size - 1)} missing at its end`;
  return { kind: 'cut', seq: count, last: size - 1, message };
}

/**
 * Goes through the records up to the first gap, and at each checkpoint compares their root with its own. Where they differ the
 * hashes that stand beside the records tell which one: if those have the root, they are true.
 */
function compare(
  bySeq: ReadonlyMap<number, FoundRecord>,
  whole: number,
  anchors: readonly Anchor[],
  problems: AuditProblem[],
): void {
  let found: Frontier = EMPTY;
  let told: Frontier = EMPTY;
  let since = 0;
  let lost = false;
  let suspects: FoundRecord[] = [];
  const at = new Map<number, Anchor[]>();
  for (const anchor of anchors) {
    if (anchor.read.kind !== 'signed') continue;
    const { size } = anchor.read.checkpoint;
    at.set(size, [...(at.get(size) ?? []), anchor]);
  }
  const tell = (): void => {
    for (const { seq, about } of suspects) {
      problems.push({ kind: 'changed', seq, message: `record ${seq} (${about}) was changed` });
    }
    suspects = [];
  };
  const arrive = (anchor: Anchor): void => {
    const { size, root } = anchor.read.checkpoint;
    if (lost) return;
    anchor.fits = root.equals(rootOf(found));
    if (anchor.fits) {
      for (const { seq, about } of suspects) {
        problems.push({
          kind: 'hash',
          seq,
          message: `the stored hash of record ${seq} was changed; the record (${about}) was not`,
        });
      }
      suspects = [];
      told = found;
    } else if (root.equals(rootOf(told))) {
      tell();
      found = told;
      anchor.fits = true;
    } else {
      if (suspects.length === 0 && size > since) {
        const last = size - 1;
        const message = `at least one of the records ${since} to ${last} was changed, and its hash with it`;
        problems.push({ kind: 'changed', seq: since, last, message });
      } else if (size <= since) {
        problems.push({
          kind: 'checkpoint',
          message: `two checkpoints of ${size} records do not agree: the log was rewritten`,
        });
      }
      tell();
      lost = true;
    }
    since = size;
  };
  for (const anchor of at.get(0) ?? []) arrive(anchor);
  for (let seq = 0; seq < whole; seq += 1) {
    const record = bySeq.get(seq) as FoundRecord;
    if (!record.hash.equals(record.leaf)) suspects.push(record);
    const same = told === found && record.hash.equals(record.leaf);
    const next = grown(found, record.hash);
    told = same ? next : grown(told, record.leaf);
    found = next;
    for (const anchor of at.get(seq + 1) ?? []) arrive(anchor);
  }
  tell();
  // Behind a gap no root can be made: what stands beside each record is all there is to go by.
  for (const record of bySeq.values()) {
    if (record.seq >= whole && !record.hash.equals(record.leaf)) suspects.push(record);
  }
  tell();
}

/** Which checkpoints count: those of trusted keys that fit, and then those of the keys that records under them name. */
function trust(
  anchors: readonly Anchor[],
  records: readonly FoundRecord[],
  trusted: readonly NoteVerifier[],
  problems: AuditProblem[],
): { notes: string[]; covered: number } {
  const keys = new Set(trusted.map(({ text }) => text));
  const changes = records.filter(({ keys: named }) => named !== undefined);
  let covered = 0;
  for (let known = -1; known !== keys.size; ) {
    known = keys.size;
    for (const { read, fits } of anchors) {
      if (!fits || read.kind !== 'signed' || !keys.has(read.by.text)) continue;
      covered = Math.max(covered, read.checkpoint.size);
      for (const { seq, keys: named = [] } of changes) {
        if (seq < read.checkpoint.size) for (const key of named) keys.add(key);
      }
    }
  }
  const strangers = anchors.filter(({ read }) => read.kind !== 'signed' || !keys.has(read.by.text));
  const harmless = strangers.filter(({ read, whose }) => whose === 'log' && read.checkpoint.size <= covered);
  for (const { read, whose } of strangers.filter((one) => !harmless.includes(one))) {
    const which = whose === 'kept' ? 'the checkpoint that was given' : 'the checkpoint';
    problems.push({
      kind: 'checkpoint',
      message: `${which} of ${read.checkpoint.size} records is signed by no trusted key, or was changed`,
    });
  }
  if (anchors.length === 0)
    problems.push({ kind: 'checkpoint', message: 'there is no checkpoint: nothing vouches for the records' });
  const notes =
    harmless.length === 0
      ? []
      : [`${harmless.length} earlier checkpoints are signed by other keys; a later one covers their records`];
  return { notes, covered };
}

function numbers(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}
