import type { AuditEntry } from '@reeve/protocol';
import { canonicalObject } from './canonical-json.ts';
import { leafHash } from './merkle-tree.ts';
import type { PlaceLabel } from './path-labels.ts';
import { placesText } from './place-text.ts';

/**
 * One entry of the audit log. Its canonical JSON (RFC 8785) is what the hash tree is made of. It holds no argument of a
 * call, no environment, no header and no path in the clear. What `facts` holds depends on its `kind`; see audit-fact.ts. Its `seq` is also
 * its id.
 */
export interface AuditRecord extends AuditEntry {
  /** The form of the record. */
  readonly v: 1;
  readonly places?: readonly PlaceLabel[];
}

/** A record before the store has given it its number. */
export type NewRecord = Omit<AuditRecord, 'seq'>;

/** A record as it is stored. */
export interface StoredRecord {
  readonly seq: number;
  /** Canonical JSON. */
  readonly body: string;
  /** Of `body`, as a leaf of the tree. */
  readonly leaf: Uint8Array;
}

/** The same for a thread that numbers it: thousands of places travel as one text. */
export interface PackedRecord {
  readonly rest: Omit<NewRecord, 'places'>;
  /** Canonical JSON of the places. */
  readonly places?: string | undefined;
}

export function packRecord({ places, ...rest }: NewRecord): PackedRecord {
  return { rest, places: places && placesText(places) };
}

/** Throws TypeError for a record that has no canonical JSON. */
export function numbered({ rest, places }: PackedRecord, seq: number): StoredRecord {
  const body = canonicalObject({ ...rest, seq }, new Map(places === undefined ? [] : [['places', places]]));
  return { seq, body, leaf: leafHash(body) };
}

/** The labels by which a record is found: of its places, of every directory above them, and of its traces. */
export function labelsOf({ rest: { trace, answerTrace }, places: text = '[]' }: PackedRecord): ReadonlySet<string> {
  const places = JSON.parse(text) as readonly PlaceLabel[];
  const traces = [trace, answerTrace].flatMap((id) => (id === undefined ? [] : [traceLabel(id)]));
  return new Set([...places.flatMap(({ label, above }) => [label, ...above]), ...traces]);
}

/** Whether a record tells of the MCP server of this name or fingerprint. */
export function tellsOf(server: string, { facts }: Pick<NewRecord, 'facts'>): boolean {
  const { name, fingerprint } = (facts.server ?? {}) as Readonly<Record<string, unknown>>;
  return [name, fingerprint, facts.fingerprint].includes(server);
}

/** No label of a path has a colon. */
export function traceLabel(trace: string): string {
  return `trace:${trace}`;
}
