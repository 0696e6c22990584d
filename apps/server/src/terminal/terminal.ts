import { once } from 'node:events';
import type { HeldProcess } from '@reeve/sandbox';
import type { ExitStatus } from './exit-status.ts';
import { createOutputTail, type OutputTail } from './output-tail.ts';
import type { TerminalRecord } from './terminal-record.ts';

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
  readonly exitStatus: ExitStatus | null;
}

/** How long output may come after the last process of the command is gone. */
const DRAIN_MS = 1_000;

/** A command that an agent started, with what it wrote last. Disposing kills it and all that it started. */
export class Terminal implements AsyncDisposable {
  /** The command has ended, nothing of it is left, and its output is complete. Never rejects. */
  readonly exited: Promise<ExitStatus>;
  readonly #process: HeldProcess;
  readonly #killAfterMs: number;
  readonly #tail: OutputTail;
  readonly #record: TerminalRecord;
  #exitStatus: ExitStatus | null = null;

  /** `record` sees all that is written, and the end. */
  constructor(process: HeldProcess, outputByteLimit: number, killAfterMs: number, record: TerminalRecord) {
    this.#process = process;
    this.#killAfterMs = killAfterMs;
    this.#record = record;
    this.#tail = createOutputTail(outputByteLimit);
    // ACP gives a terminal no input: a command that waits for some must not wait for ever.
    process.stdin.end();
    process.stdout.on('data', (chunk: Buffer) => {
      this.#tail.push(chunk);
      record.push(chunk);
    });
    this.exited = this.#finish();
  }

  read(): TerminalOutput {
    const output = this.#tail.text();
    return { output, truncated: this.#tail.truncated, exitStatus: this.#exitStatus };
  }

  /** SIGTERM to all of it, SIGKILL to what stays. The terminal can still be read. Idempotent. */
  async kill(): Promise<void> {
    await this.#process.stop({ graceMs: 0, killAfterMs: this.#killAfterMs });
    await this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#process.stdout.destroy();
  }

  async #finish(): Promise<ExitStatus> {
    const { code, signal } = await this.#process.exited;
    await this.#process.stop({ graceMs: 0, killAfterMs: this.#killAfterMs });
    const { stdout } = this.#process;
    if (!stdout.closed) await once(stdout, 'close', { signal: AbortSignal.timeout(DRAIN_MS) }).catch(() => {});
    this.#tail.end();
    this.#exitStatus = { exitCode: code, signal };
    this.#record.end(this.#exitStatus);
    return this.#exitStatus;
  }
}
