import type { JsonObject } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { ClientRequests } from './client-requests.ts';

describe('an agent that does not read its input', () => {
  it('is served nothing that would fill the memory, and told which setting says so', async () => {
    let overfull = true;
    let served = 0;
    const replies: JsonObject[] = [];
    const requests = new ClientRequests({
      controllers: () => [],
      deliver: () => {},
      reply: (message) => replies.push(JSON.parse(Buffer.from(message).toString()) as JsonObject),
      local: {
        first: false,
        serves: () => true,
        answer: async () => {
          served += 1;
          return { kind: 'result', result: { content: 'x' } };
        },
        [Symbol.asyncDispose]: async () => {},
      },
      maxPendingRequests: 10,
      overfull: () => overfull,
    });
    const read = (id: number): void => {
      const request = { kind: 'request', id, method: 'fs/read_text_file', params: { path: '/a' } } as const;
      requests.forward(request, Buffer.from(JSON.stringify(request)));
    };
    read(1);
    overfull = false;
    read(2);
    await expect.poll(() => replies.length).toBe(2);
    expect(served).toBe(1);
    expect(replies).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: expect.objectContaining({ code: 47010, message: expect.stringContaining('limits.agentInputBytes') }),
      },
      { jsonrpc: '2.0', id: 2, result: { content: 'x' } },
    ]);
  });
});
