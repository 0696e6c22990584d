import type { EventSeq } from '@reeve/protocol';
import type { EventRun } from '../events/event-run.ts';

/**
 * One session's outlet on one connection: what a transport offers to the sessions. Messages leave in the order of the calls.
 * Nothing is refused: whoever writes looks at `backlogBytes` first and waits with `drained`.
 */
export interface SessionSink {
  /** Bytes handed over and not yet taken by the peer's socket; `Infinity` while no stream is open for the session. */
  readonly backlogBytes: number;
  /** True where a client may come back to the same stream and name the last seq it has (`Last-Event-ID`). */
  readonly resumable: boolean;
  /** Resolves when `backlogBytes` is low again, or the connection is gone. */
  drained(): Promise<void>;
  /** One message; `seq` where it stands for an event of the log. */
  send(message: Uint8Array, seq?: EventSeq): void;
  sendRun(run: EventRun): void;
}
