import { type JsonObject, META_KEY, parseSessionId, ReeveError, type SessionId } from '@reeve/protocol';
import { invalidMetadata } from './session-metadata.ts';
import type { SessionStore } from './session-store.ts';

/** The `requestedSessionId` under our key of a request; undefined when there is none. Throws `invalid_params` when it cannot be had. */
export async function freeAlias(store: SessionStore, ours: JsonObject): Promise<SessionId | undefined> {
  const { requestedSessionId: wanted } = ours;
  if (wanted === undefined) return undefined;
  const alias = parseSessionId(wanted);
  // As a step of a path `.` and `..` name something else (URL standard): the HTTP API could not reach the session.
  if (!alias || alias === '.' || alias === '..') {
    throw invalidMetadata([
      {
        path: `_meta["${META_KEY}"].requestedSessionId`,
        expected: '1 to 512 characters without control characters, not "." or ".."',
        received: typeof wanted === 'string' ? `"${wanted.slice(0, 100)}"` : typeof wanted,
        fix: 'send such a name, or leave it out',
      },
    ]);
  }
  if (await store.find(alias)) throw aliasTaken(alias);
  return alias;
}

export function aliasTaken(alias: string | undefined): ReeveError {
  return new ReeveError('invalid_params', {
    message: 'requestedSessionId is taken on this server: choose another one',
    data: { requestedSessionId: alias ?? null },
  });
}
