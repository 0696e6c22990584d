import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { type PacedSpec, splitLines } from '@reeve/testkit';
import type { PacedTurn } from './pacer.ts';

interface Incoming {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

/**
 * Plays the ACP v1 agent whose FIFOs are in `directory`, until its stdin ends. A prompt must be testkit's script of one `paced` step.
 * No open and no read takes a thread of the pool: the FIFOs are polled like sockets.
 */
export function playAgent(directory: string, start: (turn: PacedTurn) => void): void {
  const { O_RDONLY, O_RDWR, O_NONBLOCK } = constants;
  const input = new Socket({ fd: openSync(join(directory, 'in'), O_RDONLY | O_NONBLOCK), writable: false });
  // To read as well, so that opening does not fail while the cat behind it is not there yet (fifo(7)).
  const fd = openSync(join(directory, 'out'), O_RDWR | O_NONBLOCK);
  const output = new Socket({ fd, readable: false, writable: true });
  const sessionId = directory.slice(directory.lastIndexOf('.') + 1);
  let ended = false;

  const send = (message: object): void => {
    if (!ended) output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const prompt = (id: number | string, text: string): void => {
    const [step] = (JSON.parse(text) as { do: readonly { paced: PacedSpec }[] }).do;
    start({
      spec: (step as { paced: PacedSpec }).paced,
      write: (said) => {
        const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: said } };
        send({ method: 'session/update', params: { sessionId, update } });
      },
      done: () => send({ id, result: { stopReason: 'end_turn' } }),
    });
  };
  const receive = ({ id, method, params }: Incoming): void => {
    if (id === undefined) return;
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    else if (method === 'session/new') send({ id, result: { sessionId } });
    else if (method === 'session/prompt') prompt(id, params?.prompt?.[0]?.text ?? '');
    else send({ id, error: { code: -32601, message: 'Method not found' } });
  };

  input.on(
    'data',
    splitLines((line) => receive(JSON.parse(line.toString('utf8')) as Incoming)),
  );
  for (const socket of [input, output]) socket.on('error', () => undefined);
  input.on('close', () => {
    ended = true;
    output.destroy();
  });
}
