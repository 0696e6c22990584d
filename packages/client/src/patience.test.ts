import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectReeve, type Reeve } from './connect-reeve.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that takes calls; what `take` does not answer stays unanswered. */
async function listen(take: (response: ServerResponse, nth: number) => void = () => {}): Promise<string> {
  let taken = 0;
  const server = createServer((_, response) => {
    taken += 1;
    take(response, taken);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Call = (reeve: Reeve, signal: AbortSignal) => Promise<unknown>;

const ANSWERED: Readonly<Record<string, Call>> = {
  health: (reeve) => reeve.health(),
  'sessions.list': (reeve) => reeve.sessions.list(),
  'sessions.setMetadata': (reeve) => reeve.sessions.setMetadata('s', {}),
  'requests.answer': (reeve) => reeve.requests.answer('r', { reply: 'once' }),
  'boundaries.request': (reeve) => reeve.boundaries.request('s', { path: '/p', access: 'ro' }),
  'policies.explain': (reeve) => reeve.policies.explain({}),
  alarms: (reeve) => reeve.alarms(),
};

const WORK: Readonly<Record<string, Call>> = {
  'sessions.create': (reeve) => reeve.sessions.create({ cwd: '/p' }),
  'sessions.beginPrompt': (reeve) => reeve.sessions.beginPrompt('s', { prompt: 'x' }),
  'sessions.fork': (reeve) => reeve.sessions.fork('s'),
  'sessions.cancel': (reeve) => reeve.sessions.cancel('s'),
  'sessions.terminate': (reeve) => reeve.sessions.terminate('s'),
  'sessions.close': (reeve) => reeve.sessions.close('s'),
  'sessions.remove': (reeve) => reeve.sessions.remove('s'),
  'agents.check': (reeve) => reeve.agents.check('a'),
  'agents.versions': (reeve) => reeve.agents.versions('a'),
  'boundaries.preview': (reeve) => reeve.boundaries.preview({ cwd: '/p' }),
  'boundaries.set': (reeve) => reeve.boundaries.set('s', {}),
  'boundaries.narrow': (reeve) => reeve.boundaries.narrow('s', {}),
  'boundaries.revoke': (reeve) => reeve.boundaries.revoke('s', '/p'),
  'grants.create': (reeve) => reeve.grants.create({ session: 's', path: '/p', access: 'ro' }),
  'grants.revoke': (reeve) => reeve.grants.revoke('g'),
  'servers.approve': (reeve) => reeve.servers.approve('f'),
  'servers.deny': (reeve) => reeve.servers.deny('f'),
  'servers.forget': (reeve) => reeve.servers.forget('f'),
  'servers.retry': (reeve) => reeve.servers.retry('s', 'n'),
  'audit.list': (reeve) => reeve.audit.list(),
  'audit.checkpoint': (reeve) => reeve.audit.checkpoint(),
};

const OPEN: Readonly<Record<string, Call>> = {
  'sessions.prompt': (reeve, signal) => reeve.sessions.prompt('s', { prompt: 'x' }, signal),
  'agents.install': (reeve, signal) => reeve.agents.install('a', { signal }),
  'audit.verify': (reeve, signal) => reeve.audit.verify({}, signal),
  'audit.export': (reeve, signal) => reeve.audit.export({}, signal).next(),
  'policies.check': (reeve, signal) => reeve.policies.check([], signal),
  'policies.reload': (reeve, signal) => reeve.policies.reload(signal),
};

/** A call that nobody answers: its error, or that it waits on after `afterMs`. */
async function outcome(call: Call, reeve: Reeve, afterMs: number): Promise<unknown> {
  const stop = new AbortController();
  const called = call(reeve, stop.signal).catch((error: unknown) => error);
  const waits = new Promise((resolve) => setTimeout(resolve, afterMs, 'waits'));
  const first = await Promise.race([called, waits]);
  stop.abort(new Error('left'));
  return first;
}

describe('a call that nobody answers, as over a line from before the sleep of a machine', () => {
  it.each(Object.entries(ANSWERED))('is given up after answerMs: %s', async (_, call) => {
    const reeve = connectReeve({ url: await listen(), answerMs: 30, workMs: Number.POSITIVE_INFINITY });
    expect(await outcome(call, reeve, 10_000)).toMatchObject({
      code: 'no_answer',
      message: 'the server did not answer within 0.03 s',
    });
  });

  it.each(Object.entries(WORK))('is given up after workMs where it waits for processes: %s', async (_, call) => {
    const reeve = connectReeve({ url: await listen(), answerMs: 1, workMs: 60 });
    expect(await outcome(call, reeve, 10_000)).toMatchObject({
      code: 'no_answer',
      message: 'the server did not answer within 0.06 s',
    });
  });

  it.each(Object.entries(OPEN))('is never cut where nobody knows how long its work takes: %s', async (_, call) => {
    const reeve = connectReeve({ url: await listen(), answerMs: 1, workMs: 1 });
    expect(await outcome(call, reeve, 60)).toBe('waits');
  });

  it('says that what was to be changed may be changed, and is answered when it is made again', async () => {
    const reeve = connectReeve({
      url: await listen((response, nth) => nth > 2 && void response.end('{"request":{"id":"r"}}')),
      answerMs: 500,
    });
    await expect(reeve.requests.answer('r', { reply: 'once' })).rejects.toMatchObject({
      next: 'It may have been done all the same: look first, check the connection, then try again.',
    });
    await expect(reeve.requests.list()).rejects.toMatchObject({ next: 'Check the connection, then try again.' });
    expect(await reeve.requests.answer('r', { reply: 'once' })).toEqual({ id: 'r' });
  });

  it('is given up too where the answer begins and does not go on', async () => {
    const reeve = connectReeve({ url: await listen((response) => void response.write('{"sess')), answerMs: 40 });
    await expect(reeve.sessions.list()).rejects.toMatchObject({ code: 'no_answer' });
  });

  it('is given up where the stream of changes shows that the line is dead, if it has waited for 10 s', async () => {
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
    try {
      let taken = 0;
      const reeve = connectReeve({
        url: await listen((response, nth) => {
          taken = nth;
          if (nth === 3) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
        }),
      });
      const outcomes: unknown[] = [];
      const verify = (name: string) => void reeve.audit.verify().catch((error) => outcomes.push(name, error));
      verify('old');
      await expect.poll(() => taken).toBe(1);
      now += 1;
      verify('young');
      await expect.poll(() => taken).toBe(2);
      const stop = new AbortController();
      const followed = reeve.followChanges({ silenceMs: 100, signal: stop.signal, onLost: () => stop.abort() }).next();
      await expect.poll(() => taken).toBe(3);
      now += 9_999;
      await followed;
      await new Promise((resolve) => setImmediate(resolve));
      expect(outcomes).toMatchObject([
        'old',
        { code: 'no_answer', message: 'the server did not answer within 10 s', next: expect.stringContaining('look') },
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  it('waits for ever where it is to, and ends with its own signal', async () => {
    const slow = await listen((response) => void setTimeout(() => response.end('{}'), 80));
    const endless = { answerMs: Number.POSITIVE_INFINITY, workMs: Number.POSITIVE_INFINITY };
    expect(await connectReeve({ url: slow, ...endless }).health()).toEqual({});
    expect(await connectReeve({ url: slow, answerMs: 20_000 }).health()).toEqual({});
    const stop = new AbortController();
    const called = connectReeve({ url: await listen() }).health(stop.signal);
    stop.abort(new Error('left'));
    await expect(called).rejects.toThrow('left');
  });
});
