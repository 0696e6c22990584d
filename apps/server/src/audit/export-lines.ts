import type { AuditLog } from './audit-log.ts';
import type { AuditRecord, StoredRecord } from './audit-record.ts';
import type { RecordFilter, RecordPage } from './audit-store.ts';
import { canonicalJson } from './canonical-json.ts';
import { readCheckpoint } from './checkpoint.ts';
import { proofTree } from './merkle-proofs.ts';
import { ocsfEvent } from './ocsf-event.ts';
import { parseVerifier } from './signed-note.ts';

/** The first line of an export. What the log says of itself can be checked with `key`, which whoever checks must have from elsewhere to trust it. */
export interface ExportHeader {
  readonly kind: 'reeve-audit-export';
  readonly version: 1;
  readonly origin: string;
  readonly key: string;
  /** A checkpoint of all that the log had then. */
  readonly checkpoint: string;
  /** All records of the log follow; else each that does has a proof that it is one. */
  readonly complete: boolean;
  readonly filter?: RecordFilter;
}

export interface RecordLine {
  readonly kind: 'record';
  /** Hash of the record as a leaf of the tree, base64. */
  readonly leaf: string;
  /** RFC 6962, 2.1.1, to the root of the header's checkpoint; base64. */
  readonly proof?: readonly string[];
  readonly record: { readonly [member: string]: unknown };
}

/** A line of an export: canonical JSON, as are the records in it. */
export type ExportLine =
  | ExportHeader
  /** An earlier one, in a complete export: it narrows down where something was changed. */
  | { readonly kind: 'checkpoint'; readonly note: string }
  | RecordLine
  | { readonly kind: 'end'; readonly records: number };

const PAGE = 1000;

/** The log as lines without newlines: with all that a check of it needs, and nothing that only a server has. */
export async function* exportLines(log: AuditLog, filter: RecordFilter = {}): AsyncGenerator<string> {
  const { store, origin, publicKey: key } = log;
  const checkpoint = await log.checkpoint();
  const complete = Object.keys(filter).length === 0;
  const header: ExportHeader = {
    kind: 'reeve-audit-export',
    version: 1,
    origin,
    key,
    checkpoint,
    complete,
    ...(complete ? {} : { filter }),
  };
  yield canonicalJson(header);
  if (complete) for (const note of await store.checkpoints()) yield canonicalJson({ kind: 'checkpoint', note });
  const size = sizeOf(checkpoint, key);
  const tree = complete ? undefined : proofTree(await store.leaves(size));
  let count = 0;
  for await (const { seq, body, leaf } of recordsOf(log, filter, size)) {
    count += 1;
    const proof = tree && seq < tree.size ? `,"proof":${canonicalJson(tree.inclusion(seq).map(base64))}` : '';
    yield `{"kind":"record","leaf":"${base64(leaf)}"${proof},"record":${body}}`;
  }
  yield canonicalJson({ kind: 'end', records: count });
}

/** The records as events of OCSF, a line each. */
export async function* ocsfLines(log: AuditLog, filter: RecordFilter = {}): AsyncGenerator<string> {
  const { size } = await log.store.tree();
  const { origin, publicKey: key } = log;
  for await (const record of recordsOf(log, filter, size)) yield JSON.stringify(ocsfEvent(record, { origin, key }));
}

/** What policies decided and by which facts, a line each, as `reeve policy test` takes them. */
export async function* decisionLines(log: AuditLog, filter: RecordFilter = {}): AsyncGenerator<string> {
  const { size } = await log.store.tree();
  for await (const { body } of recordsOf(log, { ...filter, kind: 'policy.decided' }, size)) {
    const { seq, at, session, decision: outcome, facts } = JSON.parse(body) as AuditRecord;
    const { case: told, policies, policyHash } = facts;
    yield JSON.stringify({ seq, at, session, facts: told, outcome, policies, policyHash });
  }
}

/** Up to the record of the number `end`. */
async function* recordsOf({ store }: AuditLog, filter: RecordFilter, end: number): AsyncGenerator<StoredRecord> {
  let from: number | undefined = 0;
  while (from !== undefined && from < end) {
    const page: RecordPage = await store.read({ ...filter, order: 'oldest', from, limit: PAGE });
    for (const record of page.records) {
      if (record.seq >= end) return;
      yield record;
    }
    from = page.next;
  }
}

function sizeOf(note: string, key: string): number {
  const verifier = parseVerifier(key);
  const read = readCheckpoint(note, verifier ? [verifier] : []);
  return read.kind === 'malformed' ? 0 : read.checkpoint.size;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
