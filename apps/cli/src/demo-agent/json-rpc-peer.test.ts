import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Handler, openPeer, RpcFailure } from './json-rpc-peer.ts';

function twoEnds(handlers: Record<string, Handler> = {}) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const near = openPeer(back, there, {});
  openPeer(there, back, handlers);
  return { near, there, back };
}

describe('JSON-RPC over lines', () => {
  it('asks and is answered, with results and with errors', async () => {
    const { near } = twoEnds({
      add: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
      refuse: () => {
        throw new RpcFailure(-32000, 'not now');
      },
      fail: () => {
        throw new Error('a detail that stays here');
      },
    });
    expect(await near.request('add', { a: 2, b: 3 })).toEqual({ sum: 5 });
    await expect(near.request('refuse', {})).rejects.toMatchObject({ code: -32000, message: 'not now' });
    await expect(near.request('fail', {})).rejects.toMatchObject({ code: -32603, message: 'Internal error' });
    await expect(near.request('toString', {})).rejects.toMatchObject({ code: -32601 });
  });

  it('takes lines in whatever pieces they come, and passes over what is no message', async () => {
    const back = new PassThrough();
    const near = openPeer(back, new PassThrough(), {});
    const answer = near.request('ask', {});
    back.write('no JSON\n[1]\n"text"\n{"jsonrpc":"2.0","id":7,"result":{"other":1}}\n{"jsonrpc":"2.0",');
    await setImmediate();
    back.write('"id":1,"result":{"whole":true}}\n');
    expect(await answer).toEqual({ whole: true });
  });

  it('lets go of what waits when the other side is gone, or it is cancelled', async () => {
    const { near, back } = twoEnds({ wait: () => new Promise(() => {}) });
    const cancel = new AbortController();
    const cancelled = near.request('wait', {}, cancel.signal);
    cancel.abort();
    await expect(cancelled).rejects.toThrow('it was cancelled');
    await expect(near.request('wait', {}, cancel.signal)).rejects.toThrow('it was cancelled');
    const left = near.request('wait', {});
    back.destroy();
    await expect(left).rejects.toThrow('the other side has gone');
  });
});
