import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { httpCaller } from './http-caller.ts';
import { PATIENCE } from './patience.ts';
import { sweepConnections } from './sweep-connections.ts';

it('asks over as many connections as a browser keeps, at once, and gives up those that lead nowhere', async () => {
  let asked = 0;
  let givenUp = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.on('close', () => {
      if (!response.writableEnded) givenUp += 1;
    });
    // All are there before one is answered, and the others never are.
    if (asked === 6) response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const client = { name: 'sweeper', version: '1' };
  const began = performance.now();
  await sweepConnections(httpCaller({ base, token: () => undefined, client, fetch, limits: PATIENCE }));
  expect(asked).toBe(6);
  expect(performance.now() - began).toBeGreaterThan(2900);
  await expect.poll(() => givenUp).toBe(5);
  server.closeAllConnections();
  server.close();
});
