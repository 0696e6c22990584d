/**
 * What is wrong with a log. `seq`: the first record that it is about, `last`: the last one where there are several.
 *
 * - `changed`: a record is not the one that was logged · `missing`: a record is not there, and later ones are
 * - `moved`: a record does not stand in its place · `repeated`: it is there twice
 * - `cut`: the log ends before what a checkpoint covers
 * - `hash`: the stored hash of a record was changed, the record itself was not
 * - `checkpoint`: a checkpoint is none, is of another log, or is signed by no key that is trusted
 * - `line`: a line of the export is none that Reeve writes
 */
export interface AuditProblem {
  readonly kind: 'changed' | 'missing' | 'moved' | 'repeated' | 'cut' | 'hash' | 'checkpoint' | 'line';
  readonly seq?: number;
  readonly last?: number;
  readonly message: string;
}

/** The outcome of a check. */
export interface AuditVerdict {
  readonly kind: 'intact' | 'damaged';
  readonly origin: string;
  /** Records that were checked. */
  readonly records: number;
  /** How many records the newest checkpoint covers that a trusted key signed and that fits. */
  readonly covered: number;
  /** The keys that were trusted at the beginning. */
  readonly keys: readonly string[];
  /** The key was taken from the export itself: it proves only that all of it was signed by one. */
  readonly keyFromExport: boolean;
  /** All records of the log, or some of them, each with a proof. */
  readonly complete: boolean;
  readonly problems: readonly AuditProblem[];
  /** How many more problems there are. */
  readonly moreProblems: number;
  /** What is no damage, and worth knowing. */
  readonly notes: readonly string[];
}

/** One entry of the audit log, as it is stored: `facts` depends on `kind` (docs/audit.md). */
export interface AuditEntry {
  /** Its place in the log, from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: string;
  readonly session?: string;
  /** Who did it: a client with its version as it gives them, `http-api`, or `reeve` itself. */
  readonly by?: string;
  readonly decision?: string;
  /** What it answers or follows from: the id of a request, the number of another record. */
  readonly cause?: string;
  /** The trace that it belongs to (W3C Trace Context): 32 hex digits; absent in logs from before there were any. */
  readonly trace?: string;
  /** The trace of whoever answered, where that is another one and they named it. */
  readonly answerTrace?: string;
  /** Labels of paths; no path. */
  readonly places?: readonly unknown[];
  readonly facts: { readonly [name: string]: unknown };
}

/** Which records are meant: all conditions that are given must hold. */
export interface AuditQuery {
  readonly session?: string | undefined;
  /** 32 hex digits: records of this trace, or answered in it. */
  readonly trace?: string | undefined;
  readonly kind?: string | undefined;
  readonly decision?: string | undefined;
  /** Name or fingerprint of an MCP server: records that tell of it. */
  readonly server?: string | undefined;
  /** ISO 8601, or milliseconds since the epoch; inclusive. */
  readonly since?: string | undefined;
  /** The same, exclusive. */
  readonly until?: string | undefined;
  /** An absolute path: records about it or about what is below it. */
  readonly under?: string | undefined;
}

/** `GET /v1/audit`. */
export interface AuditPage {
  readonly records: readonly AuditEntry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** `GET /v1/alarms`: newest first. */
export interface AlarmPage {
  readonly alarms: readonly AuditEntry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** `GET /v1/audit/checkpoint`: what the log has now, signed. */
export interface AuditCheckpoint {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** As C2SP has it (tlog-checkpoint): worth keeping where the server cannot reach. */
  readonly checkpoint: string;
  /** The public key that checks its signature. */
  readonly key: string;
  /** That the log of `from` records is the beginning of this one (RFC 6962, 2.1.2); base64. Where it was asked for. */
  readonly consistency?: readonly string[];
}
