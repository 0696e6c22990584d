import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type AgentCommand, splitLines } from '@reeve/testkit';

export interface StdioClientOptions {
  readonly command: AgentCommand;
  /** Every message that is not an answer. */
  readonly onMessage: (bytes: Buffer, start: number, end: number) => void;
}

const UPDATE = Buffer.from('"method":"session/update"');

/** An ACP client of one agent over stdio, with nothing between. Disposing ends the agent's stdin and waits for its end. */
export class StdioClient implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  readonly #pending = new Map<number, (result: unknown) => void>();
  #nextId = 1;

  private constructor({ command: { command, args, env }, onMessage }: StdioClientOptions) {
    // In a session of its own, like an agent of Reeve: Linux shares the cores among sessions (sched(7), autogroup).
    this.#child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    this.#ended = once(this.#child, 'close');
    this.#child.stdout.on(
      'data',
      splitLines((line) => {
        if (line.subarray(0, 64).includes(UPDATE)) onMessage(line, 0, line.length);
        else this.#answer(JSON.parse(line.toString('utf8')) as { id: number; result: unknown });
      }),
    );
  }

  /** Started and initialized. */
  static async open(options: StdioClientOptions): Promise<StdioClient> {
    const client = new StdioClient(options);
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return client;
  }

  async request<Result = Record<string, unknown>>(method: string, params: unknown): Promise<Result> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#pending.set(id, resolve);
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return (await promise) as Result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
  }

  #answer({ id, result }: { readonly id: number; readonly result: unknown }): void {
    this.#pending.get(id)?.(result);
    this.#pending.delete(id);
  }
}
