import { canonicalObject } from './canonical-json.ts';
import { leafHash } from './merkle-tree.ts';
import type { PlaceLabel } from './path-labels.ts';
import { placesText } from './place-text.ts';

/**
 * One entry of the audit log. Its canonical JSON (RFC 8785) is what the hash tree is made of. It holds no argument of a
 * call, no environment, no header and no path in the clear.
 */
export interface AuditRecord {
  /** The form of the record. */
  readonly v: 1;
  /** Its place in the log, from 0, without gaps: also its id. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What `facts` holds depends on it; see audit-fact.ts. */
  readonly kind: string;
  readonly session?: string;
  /** Who did it: a client with its version as it gives them, `http-api`, or `reeve` itself. */
  readonly by?: string;
  readonly decision?: string;
  /** What it answers or follows from: the id of a request, the number of another record. */
  readonly cause?: string;
  /** The trace that it belongs to (W3C Trace Context): 32 hex digits. Every record has one since there are any. */
  readonly trace?: string;
  /** The trace of whoever answered, where that is another one and they named it. */
  readonly answerTrace?: string;
  readonly places?: readonly PlaceLabel[];
  readonly facts: { readonly [name: string]: unknown };
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
