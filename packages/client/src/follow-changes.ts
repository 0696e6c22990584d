import type { ServerChange } from '@reeve/protocol';
import { backOffMs, pause } from './back-off.ts';
import { CallError } from './call-error.ts';
import { readEventStream } from './event-stream.ts';
import type { HttpCaller } from './http-caller.ts';

export interface FollowChangesOptions {
  /** Ends the iteration quietly. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the server does not answer; for ever unless told. */
  readonly giveUpMs?: number;
  /** The server was lost, and is tried for the `attempt`th time. */
  readonly onLost?: (error: CallError, attempt: number) => void;
  /** The server answers, the first time too. */
  readonly onConnected?: () => void;
}

/**
 * What changes on the whole server. The first change is `resync`, and so is the first one after a connection that was lost for too
 * long: what changed before it is to be read anew. Ends when `signal` aborts; rejects when the server refuses, or stays away.
 */
export async function* followChanges(
  http: HttpCaller,
  options: FollowChangesOptions = {},
): AsyncGenerator<ServerChange> {
  const { signal, giveUpMs = Number.POSITIVE_INFINITY } = options;
  let last: string | undefined;
  let attempt = 0;
  let lastHeard = Date.now();
  while (!signal?.aborted) {
    let lost = new CallError({
      code: 'connection_lost',
      message: 'the stream of changes ended',
      next: 'Wait: it is tried again.',
    });
    try {
      const body = await http.stream('/v1/events', {}, last, signal);
      options.onConnected?.();
      lastHeard = Date.now();
      for await (const { id, data } of readEventStream(body)) {
        attempt = 0;
        lastHeard = Date.now();
        last = id;
        const change = asChange(data);
        if (change) yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof CallError && isRefusal(error)) throw error;
      if (Date.now() - lastHeard > giveUpMs) throw error;
      lost = CallError.of(error);
    }
    if (signal?.aborted) return;
    attempt += 1;
    options.onLost?.(lost, attempt);
    await pause(backOffMs(attempt - 1), signal);
  }
}

/** Trying again would not help. */
export function isRefusal({ status }: CallError): boolean {
  return status !== undefined && status < 500 && status !== 408 && status !== 429;
}

function asChange(data: string): ServerChange | undefined {
  try {
    const change: unknown = JSON.parse(data);
    return typeof (change as { kind?: unknown } | null)?.kind === 'string' ? (change as ServerChange) : undefined;
  } catch {
    return undefined;
  }
}
