import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { traceparentOf } from '../audit/trace-id.ts';
import type { BoundaryAlarm } from './session-ground.ts';

export interface AlarmWebhook {
  readonly url: string;
  /** Secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface AlarmsOptions {
  /** Where alarms are sent; without one they are only in the session and the audit log. */
  readonly webhook: AlarmWebhook | undefined;
  /** The label that the audit log has for a path (`GET /v1/audit` finds records by it); no path is sent. */
  readonly labelOf: (path: string) => string | undefined;
  readonly limits: {
    /** For one attempt to deliver (`timeouts.alarmMs`). */
    readonly alarmMs: number;
    /** Alarms that wait to be delivered; beyond, the oldest are dropped, and told as a number (`limits.maxQueuedAlarms`). */
    readonly maxQueuedAlarms: number;
  };
  /** For the diagnostic log. Holds neither address nor header. */
  readonly warn: (message: string, facts: Readonly<Record<string, unknown>>) => void;
  /** The pause before the second attempt; each later one is twice as long. */
  readonly retryMs?: number;
}

/** Tells whoever was named in the configuration that a server reached, or was to reach, for what it was not given. */
export interface Alarms extends AsyncDisposable {
  /** Never throws, never waits. */
  raise(alarm: BoundaryAlarm): void;
}

/** CloudEvents 1.0: type of the events. */
export const ALARM_EVENT_TYPE = 'dev.sandboxagent.boundary.alarm';
const ATTEMPTS = 6;
const RETRY_MS = 1000;
const MAX_NAME = 200;

interface Waiting {
  readonly alarm: BoundaryAlarm;
  readonly id: string;
}

export function createAlarms(options: AlarmsOptions): Alarms {
  const { webhook, limits, warn } = options;
  const closing = new AbortController();
  const queue: Waiting[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;
  function enqueue(alarm: BoundaryAlarm): void {
    if (webhook === undefined || closing.signal.aborted) return;
    queue.push({ alarm, id: randomUUID() });
    if (queue.length > limits.maxQueuedAlarms) dropped += queue.shift()?.alarm.count ?? 0;
    sending ??= sendAll(webhook).finally(() => {
      sending = undefined;
    });
  }

  async function sendAll(to: AlarmWebhook): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const lost = dropped;
      dropped = 0;
      const failure = await deliver(to, eventOf(next, lost, options));
      if (failure === undefined) continue;
      dropped += lost + next.alarm.count;
      if (closing.signal.aborted) return;
      warn('an alarm could not be delivered to alarms.webhook', { reason: failure, attempts: ATTEMPTS });
    }
  }

  /** Why it could not be delivered. */
  async function deliver(to: AlarmWebhook, event: object): Promise<string | undefined> {
    let failure = 'not tried';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pause = attempt === 0 ? 0 : (options.retryMs ?? RETRY_MS) * 2 ** (attempt - 1);
      if (pause > 0) await delay(pause, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      if (closing.signal.aborted) return 'the server stops';
      const answer = await post(to, event);
      if (answer === undefined) return undefined;
      failure = answer.why;
      if (!answer.again) return failure;
    }
    return failure;
  }

  async function post(
    { url, headers }: AlarmWebhook,
    event: object,
  ): Promise<{ readonly why: string; readonly again: boolean } | undefined> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/cloudevents+json' },
        body: JSON.stringify(event),
        // Elsewhere the headers would be given to a stranger.
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(limits.alarmMs)]),
      });
      await response.body?.cancel();
      if (response.ok) return undefined;
      const again = response.status >= 500 || response.status === 408 || response.status === 429;
      return { why: `it answered ${response.status}`, again };
    } catch (error) {
      const late = error instanceof Error && error.name === 'TimeoutError';
      return { why: late ? `no answer within ${limits.alarmMs} ms (timeouts.alarmMs)` : 'no connection', again: true };
    }
  }

  return {
    raise: enqueue,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await sending;
      const lost = dropped + queue.reduce((sum, { alarm }) => sum + alarm.count, 0);
      if (lost > 0) warn('alarms were not delivered to alarms.webhook', { alarms: lost });
    },
  };
}

/** @param lost alarms before this one that could not be delivered */
function eventOf({ alarm, id }: Waiting, lost: number, { labelOf }: AlarmsOptions): object {
  const { at, session, server, access, by, tool, path, count, trace } = alarm;
  return {
    specversion: '1.0',
    id,
    source: 'urn:reeve:boundary',
    type: ALARM_EVENT_TYPE,
    time: new Date(at).toISOString(),
    ...(session === undefined ? {} : { subject: session }),
    // CloudEvents, Distributed Tracing extension.
    ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
    datacontenttype: 'application/json',
    data: {
      session,
      server: { name: server.name.slice(0, MAX_NAME), fingerprint: server.fingerprint },
      by,
      access,
      tool: tool?.slice(0, MAX_NAME),
      place: labelOf(path),
      count,
      ...(lost === 0 ? {} : { lost }),
    },
  };
}
