import {
  forkMetadata,
  type JsonObject,
  type MetadataCheck,
  ReeveError,
  readMetadata,
  type SessionMetadata,
  type SetupIssue,
  setupErrorData,
} from '@reeve/protocol';
import type { SessionRecord } from './session-store.ts';

/** The metadata of a session as clients see it: in lists, in results and in updates. */
export function metadataOf({ title, metadata }: Pick<SessionRecord, 'title' | 'metadata'>): SessionMetadata {
  return title === undefined ? metadata : { title, ...metadata };
}

/** The parts of a record that hold `metadata`. */
export function recordOfMetadata({ title, ...metadata }: SessionMetadata): Pick<SessionRecord, 'title' | 'metadata'> {
  return title === undefined ? { metadata } : { title, metadata };
}

/** The metadata that `session/new` brings; throws `invalid_params` whose data names each member and how to mend it. */
export function requireMetadata(ours: JsonObject, maxBytes: number): SessionMetadata {
  return required(readMetadata(ours, maxBytes));
}

/** The metadata of a fork of `parent`; throws like `requireMetadata`. */
export function requireForkMetadata(parent: SessionRecord, ours: JsonObject, maxBytes: number): SessionMetadata {
  return required(forkMetadata(metadataOf(parent), ours, maxBytes));
}

function required(check: MetadataCheck): SessionMetadata {
  if (check.kind === 'invalid') throw invalidMetadata(check.issues);
  return check.metadata;
}

export function invalidMetadata(issues: readonly SetupIssue[]): ReeveError {
  const data = setupErrorData(issues);
  return new ReeveError('invalid_params', { message: `Invalid params: ${data.summary}`, data: { ...data } });
}
