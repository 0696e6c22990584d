import type { AuditProblem, AuditVerdict } from '@reeve/protocol';
import { canonicalJson } from './canonical-json.ts';
import { checkLog, type FoundRecord, type LogCheck } from './check-log.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { ExportHeader, ExportLine, RecordLine } from './export-lines.ts';
import { isIncluded } from './merkle-proofs.ts';
import { leafHash } from './merkle-tree.ts';
import { type NoteVerifier, parseVerifier } from './signed-note.ts';

export interface VerifyOptions {
  /** Public keys that are trusted, as `name+id+base64`; the export's own when there are none. */
  readonly keys?: readonly string[];
  /** Signed checkpoints that were kept from before: the log must still have what they cover. */
  readonly checkpoints?: readonly string[];
}

/** What was given cannot be checked: the message says what to do. */
export class UnverifiableError extends Error {
  override readonly name = 'UnverifiableError';
}

const MAX_PROBLEMS = 100;

interface Found {
  readonly line: RecordLine;
  readonly record: FoundRecord;
}

/**
 * Checks an export of an audit log, and names what was changed, removed, reordered or cut. Needs neither server nor database.
 * `lines`: without their newlines. Throws UnverifiableError for what is no export, and for keys that are none.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  { keys = [], checkpoints = [] }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const problems: AuditProblem[] = [];
  const found: Found[] = [];
  const notes: string[] = [];
  let header: ExportHeader | undefined;
  let end: number | undefined;
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const line = readLine(text);
    if (!header) {
      if (line?.kind !== 'reeve-audit-export') {
        throw new UnverifiableError('this is no export of an audit log: make one with "reeve audit export"');
      }
      header = line;
    } else if (line?.kind === 'checkpoint') notes.push(line.note);
    else if (line?.kind === 'end') end = line.records;
    else if (line?.kind === 'record') found.push({ line, record: recordOf(text, line) });
    else {
      const message = `line ${number} (after ${found.length} records) cannot be read: it was changed`;
      problems.push({ kind: 'line', message });
    }
  }
  if (!header) throw new UnverifiableError('this is empty: make an export with "reeve audit export"');
  const trusted = keysOf(keys.length === 0 ? [header.key] : keys);
  const check = header.complete
    ? checkLog({
        origin: header.origin,
        records: found.map(({ record }) => record),
        trusted,
        checkpoints: [
          ...notes.map((note) => ({ note, whose: 'log' as const })),
          { note: header.checkpoint, whose: 'log' },
          ...checkpoints.map((note) => ({ note, whose: 'kept' as const })),
        ],
      })
    : checkProofs(header, found, trusted);
  problems.push(...check.problems);
  if (!header.complete && end !== found.length) {
    const message = `the export was cut: it has ${found.length} records${end === undefined ? '' : ` of ${end}`}`;
    problems.push({ kind: 'cut', message });
  }
  return {
    kind: problems.length === 0 ? 'intact' : 'damaged',
    origin: header.origin,
    records: found.length,
    covered: check.covered,
    keys: trusted.map(({ text }) => text),
    keyFromExport: keys.length === 0,
    complete: header.complete,
    problems: problems.slice(0, MAX_PROBLEMS),
    moreProblems: Math.max(0, problems.length - MAX_PROBLEMS),
    notes: check.notes,
  };
}

/** Each record by its own proof. That none was left out of a part of the log cannot be known. */
function checkProofs(header: ExportHeader, found: readonly Found[], trusted: readonly NoteVerifier[]): LogCheck {
  const read = readCheckpoint(header.checkpoint, trusted);
  if (read.kind !== 'signed') {
    const message = 'the checkpoint of the export is signed by no trusted key, or was changed';
    return { problems: [{ kind: 'checkpoint', message }], notes: [], covered: 0 };
  }
  const { size, root } = read.checkpoint;
  const problems: AuditProblem[] = [];
  let before = -1;
  for (const { line, record } of found) {
    const { seq, hash, about } = record;
    const proof = (line.proof ?? []).map((node) => Buffer.from(node, 'base64'));
    if (seq <= before) {
      const message = `record ${seq} (${about}) stands behind record ${before}, where it does not belong`;
      problems.push({ kind: 'moved', seq, message });
    }
    before = Math.max(before, seq);
    if (isIncluded(hash, seq, size, proof, root)) continue;
    const message = `record ${seq} (${about}) was changed: it is none of the log that was signed`;
    problems.push({ kind: 'changed', seq, message });
  }
  const notes = ['the export is a part of the log: each record in it is checked, not that none was left out'];
  return { problems, notes, covered: size };
}

function readLine(text: string): ExportLine | undefined {
  try {
    const line = JSON.parse(text) as ExportLine | null;
    if (typeof line !== 'object' || line === null) return undefined;
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it has what its kind must have: a file may hold anything. */
function isLine(line: ExportLine): boolean {
  switch (line.kind) {
    case 'reeve-audit-export': {
      const texts = [line.origin, line.key, line.checkpoint];
      return (
        line.version === 1 && texts.every((text) => typeof text === 'string') && typeof line.complete === 'boolean'
      );
    }
    case 'checkpoint':
      return typeof line.note === 'string';
    case 'end':
      return typeof line.records === 'number';
    case 'record': {
      const { seq } = line.record ?? {};
      const proof: unknown = line.proof ?? [];
      const isProof = Array.isArray(proof) && proof.every((node) => typeof node === 'string');
      return isProof && typeof line.leaf === 'string' && Number.isSafeInteger(seq) && (seq as number) >= 0;
    }
    default:
      return false;
  }
}

function recordOf(text: string, { leaf, proof, record }: RecordLine): FoundRecord {
  // `record` is the last member of a line: what is hashed is its text, which must be the canonical one and nothing else.
  const start = text.indexOf(',"record":') + ',"record":'.length;
  const body = text.slice(start, -1);
  const proofText = proof ? `,"proof":${JSON.stringify(proof)}` : '';
  const before = `{"kind":"record","leaf":"${leaf}"${proofText},"record":`;
  const told = Buffer.from(leaf, 'base64');
  // Of base64 several texts mean the same bytes: only one of them is ours.
  const asWritten = text.slice(0, start) === before && told.toString('base64') === leaf;
  const { seq, kind, at, session, facts } = record;
  const canonical = canonicalOr(record);
  const who = typeof session === 'string' ? `, session ${session}` : '';
  const when = typeof at === 'number' && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : 'at no time';
  const named = kind === 'audit.key_rotated' ? (facts as { before?: unknown; after?: unknown } | undefined) : undefined;
  const keys = [named?.before, named?.after].filter((key) => typeof key === 'string');
  return {
    seq: seq as number,
    hash: leafHash(canonical === body ? body : text),
    leaf: asWritten ? told : Buffer.alloc(0),
    about: `${String(kind).slice(0, 64)}, ${when}${who.slice(0, 100)}`,
    ...(keys.length > 0 ? { keys } : {}),
  };
}

function canonicalOr(record: unknown): string | undefined {
  try {
    return canonicalJson(record);
  } catch {
    return undefined;
  }
}

function keysOf(texts: readonly string[]): readonly NoteVerifier[] {
  return texts.map((text) => {
    const key = parseVerifier(text);
    if (key) return key;
    throw new UnverifiableError(`"${text.slice(0, 200)}" is no public key: give it as "reeve audit keys" prints it`);
  });
}
