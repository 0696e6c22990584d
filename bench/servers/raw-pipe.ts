import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type AgentCommand, fakeAgentCommand, script } from '@reeve/testkit';
import { FloodCheck } from '../clients/flood-check.ts';
import { readLines } from '../clients/line-reader.ts';
import type { FloodTarget } from '../flood-target.ts';

/** The floor: the agent's stdout read and split at newlines by Node, nothing between and nothing parsed. */
export async function openRawPipe(command: AgentCommand = fakeAgentCommand()): Promise<FloodTarget> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(command.command, command.args, {
    env: { ...process.env, ...command.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pending = new Map<number, (message: { result: Record<string, unknown> }) => void>();
  let check: FloodCheck | undefined;
  let rest: Buffer = Buffer.alloc(0);
  let nextId = 1;

  child.stdout.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    check?.stamp();
    const from = readLines(bytes, bytes.length, (all, start, end) => {
      if (check?.take(all, start, end)) return;
      const message = JSON.parse(all.toString('utf8', start, end)) as { id?: number; result: Record<string, unknown> };
      if (message.id !== undefined) pending.get(message.id)?.(message);
    });
    rest = bytes.subarray(from);
  });
  const request = async (method: string, params: unknown): Promise<Record<string, unknown>> => {
    const id = nextId++;
    const { promise, resolve } = Promise.withResolvers<{ result: Record<string, unknown> }>();
    pending.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return (await promise).result;
  };

  await request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await request('session/new', { cwd: process.cwd(), mcpServers: [] });
  return {
    name: 'raw pipe',
    async flood(spec) {
      check = new FloodCheck(spec);
      const startedAt = performance.now();
      await request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script({ flood: spec }) }] });
      const tally = check.tally();
      return { tookMs: tally.lastAtMs - startedAt, tally };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
