import type { ServerChange } from '@reeve/protocol';
import type { EventStreams } from './event-streams.ts';
import { followStream, type ReconnectOptions } from './follow-stream.ts';

/** `giveUpMs`: for ever unless told. */
export type FollowChangesOptions = ReconnectOptions;

/**
 * What changes on the whole server. The first change is `resync`, and so is the first one after a connection that was lost for too
 * long: what changed before it is to be read anew. Ends when `signal` aborts; rejects when the server refuses, or stays away.
 */
export function followChanges(streams: EventStreams, options: FollowChangesOptions = {}): AsyncGenerator<ServerChange> {
  let last: string | undefined;
  return followStream<ServerChange>(
    {
      what: 'changes',
      onSilence: streams.onSilence,
      open: (signal) => streams.open('/v1/events', {}, last, signal),
      read({ id, data }) {
        last = id;
        return asChange(data);
      },
    },
    options,
  );
}

function asChange(data: string): ServerChange | undefined {
  try {
    const change: unknown = JSON.parse(data);
    return typeof (change as { kind?: unknown } | null)?.kind === 'string' ? (change as ServerChange) : undefined;
  } catch {
    return undefined;
  }
}
