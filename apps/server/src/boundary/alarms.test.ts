import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { SessionId } from '@reeve/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { newTraceId, traceOf } from '../audit/trace-id.ts';
import { type AlarmsOptions, createAlarms } from './alarms.ts';
import type { BoundaryAlarm } from './session-ground.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const secretPath = '/home/someone/planted-secret';

function alarm(more: Partial<BoundaryAlarm> = {}): BoundaryAlarm {
  return {
    at: Date.UTC(2026, 10, 21),
    session: 'ses_1' as SessionId,
    server: { name: 'files', fingerprint: 'sha256:1' },
    path: secretPath,
    access: 'rw',
    by: 'agent',
    tool: 'read_file',
    count: 1,
    ...more,
  };
}

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly event: Record<string, unknown> & { readonly data: Record<string, unknown> };
}

/** Answers with the statuses in turn, with the last one ever after; 0 never answers. */
async function receiver(...statuses: readonly number[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const event = JSON.parse(await text(request)) as Received['event'];
    received.push({ headers: request.headers, event });
    const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 204;
    if (status > 0) response.writeHead(status, { location: '/elsewhere' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=s3cret` };
}

function open(url: string | undefined, more: Partial<AlarmsOptions> = {}) {
  const warnings: string[] = [];
  const alarms = createAlarms({
    webhook: url === undefined ? undefined : { url, headers: { authorization: 'Bearer s3cret' } },
    labelOf: (path) => `label-${path.length}`,
    limits: { alarmMs: 2000, maxQueuedAlarms: 3 },
    warn: (message, facts) => warnings.push(`${message} ${JSON.stringify(facts)}`),
    retryMs: 1,
    ...more,
  });
  stack.use(alarms);
  return { alarms, warnings };
}

describe('an alarm', () => {
  it('is sent as a CloudEvent with a label in place of the path', async () => {
    const { received, url } = await receiver();
    open(url).alarms.raise(alarm());
    await expect.poll(() => received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      headers: { 'content-type': 'application/cloudevents+json', authorization: 'Bearer s3cret' },
      event: {
        specversion: '1.0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'dev.sandboxagent.boundary.alarm',
        source: 'urn:reeve:boundary',
        subject: 'ses_1',
        time: '2026-11-21T00:00:00.000Z',
        data: { server: { name: 'files' }, by: 'agent', access: 'rw', tool: 'read_file', place: 'label-28', count: 1 },
      },
    });
    expect(JSON.stringify(received)).not.toContain('planted');
  });

  it('names the trace of the call as the extension of CloudEvents for traces has it, the same at each attempt', async () => {
    const { received, url } = await receiver(500, 204);
    const trace = newTraceId();
    open(url).alarms.raise(alarm({ trace }));
    await expect.poll(() => received).toHaveLength(2);
    const [first, second] = received.map(({ event }) => event.traceparent);
    expect(traceOf(first)).toBe(trace);
    expect(second).toBe(first);
  });

  it('is sent again after a failure, under the same id', async () => {
    const { received, url } = await receiver(500, 429, 204);
    open(url).alarms.raise(alarm());
    await expect.poll(() => received).toHaveLength(3);
    expect(new Set(received.map(({ event }) => event.id)).size).toBe(1);
  });

  it('is not sent again where that is of no use, nor elsewhere, and what was lost is told', async () => {
    const { received, url } = await receiver(400, 302, 204);
    const { alarms, warnings } = open(url);
    for (const name of ['a', 'b', 'c']) {
      const had = received.length;
      alarms.raise(alarm({ server: { name, fingerprint: name } }));
      await expect.poll(() => received.length).toBeGreaterThan(had);
      await expect.poll(() => warnings.length).toBe(Math.min(2, received.length));
    }
    expect(received.map(({ event }) => event.data.lost)).toEqual([undefined, 1, 2]);
    expect(warnings.join()).toContain('it answered 400');
    expect(warnings.join()).not.toMatch(/s3cret|127\.0\.0\.1|planted/);
  });

  it('is given up when nobody answers in time', async () => {
    const { url } = await receiver(0);
    const { alarms, warnings } = open(url, { limits: { alarmMs: 20, maxQueuedAlarms: 3 } });
    alarms.raise(alarm());
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]).toContain('timeouts.alarmMs');
  });

  it('pushes the oldest out when too many wait', async () => {
    const { received, url } = await receiver(0);
    const { alarms, warnings } = open(url, { limits: { alarmMs: 60_000, maxQueuedAlarms: 3 } });
    for (let at = 0; at < 10; at++) alarms.raise(alarm({ server: { name: `${at}`, fingerprint: `${at}` } }));
    await expect.poll(() => received).toHaveLength(1);
    await alarms[Symbol.asyncDispose]();
    expect(warnings).toEqual(['alarms were not delivered to alarms.webhook {"alarms":10}']);
  });

  it('goes nowhere without a webhook, and costs nothing', async () => {
    const { alarms, warnings } = open(undefined);
    for (let at = 0; at < 100; at++) alarms.raise(alarm());
    await alarms[Symbol.asyncDispose]();
    expect(warnings).toEqual([]);
  });
});
