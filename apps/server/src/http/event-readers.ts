import type { AttachedClient, SessionId } from '@reeve/protocol';
import { claimOf } from './caller.ts';

/** Who reads along in which session by the event stream of the control API. */
export interface EventReaders {
  /** `caller`: as `callerOf` has it. Disposing ends it. */
  add(session: SessionId, caller: string): Disposable;
  of(session: SessionId): readonly AttachedClient[];
}

/** How many of a session are told: each change of the session tells them again. */
const MAX_TOLD = 100;

/** `onChange`: somebody came or left. */
export function createEventReaders(onChange: (session: SessionId) => void): EventReaders {
  const readers = new Map<SessionId, Set<AttachedClient>>();
  return {
    add(session, caller) {
      const reader: AttachedClient = { ...claimOf(caller), transport: 'events', role: 'observer', since: Date.now() };
      const there = readers.get(session) ?? new Set();
      readers.set(session, there.add(reader));
      onChange(session);
      return {
        [Symbol.dispose]() {
          if (!there.delete(reader)) return;
          if (there.size === 0) readers.delete(session);
          onChange(session);
        },
      };
    },
    of: (session) => [...(readers.get(session) ?? [])].slice(0, MAX_TOLD),
  };
}
