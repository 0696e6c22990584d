import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { HeldPlace } from './bubblewrap/held-places.ts';
import { madeMeanwhile } from './bubblewrap/pinned-paths.ts';
import type { Enforcement } from './enforcement.ts';
import type { ProcessExit } from './exit-status.ts';
import type { HolderNotice } from './holder-notice.ts';
import type { ProcessTree } from './process-tree.ts';
import type { PipedChild } from './spawn-piped.ts';
import type { StderrTail } from './stderr-tail.ts';

export interface StopOptions {
  /** From the end of stdin to SIGTERM; 1,500 unless given. */
  readonly graceMs?: number;
  /** From SIGTERM to SIGKILL; 1,500 unless given. */
  readonly killAfterMs?: number;
}

/**
 * A running process and all its descendants. When the leader ends by itself, what it left behind is ended too.
 * Disposing is `stop()`, after which stdout that nobody reads is dropped.
 */
export interface HeldProcess extends AsyncDisposable {
  /** Of the leader, as seen outside. */
  readonly pid: number;
  readonly enforcement: Enforcement;
  /** Never emits an unhandled error: a write after the end of the process fails in its own callback. */
  readonly stdin: Writable;
  /** Raw bytes; paused until read, and complete however late the reading begins. */
  readonly stdout: Readable;
  /** The last bytes of stderr, as UTF-8. */
  stderrTail(): string;
  /** The end of the leader, with its stderr read. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /**
   * Ends stdin, after `graceMs` sends SIGTERM to the tree, after `killAfterMs` SIGKILL until none is left. Resolves when
   * the whole tree is gone. Calls share one stop; a later call can make it come sooner, never later.
   */
  stop(options?: StopOptions): Promise<ProcessExit>;
  /**
   * Absolute paths that the profile protects, which did not exist at the start and do now: what may have been made by
   * the process. Empty without a profile.
   */
  protectedPathsMade(): readonly string[];
  /** What it cannot write in read-write roots and state directories, as long as nobody outside replaces it. Empty where no mounts hold that. */
  readonly heldPlaces: readonly HeldPlace[];
}

export interface HeldProcessParts {
  readonly child: PipedChild;
  /** The end of the leader. */
  readonly ended: Promise<ProcessExit>;
  readonly pid: number;
  /** Protected paths that did not exist at the start. */
  readonly absent: readonly string[];
  readonly held: readonly HeldPlace[];
  readonly tree: ProcessTree;
  readonly tail: StderrTail;
  readonly enforcement: Enforcement;
  readonly onNotice: (notice: HolderNotice) => void;
  /** Called once, when the whole tree is gone; what it does belongs to the stop. */
  readonly onGone: () => Promise<void>;
}

const defaultGraceMs = 1_500;
const defaultKillAfterMs = 1_500;
/** How long a descendant that holds stderr open may delay `exited`. */
const stderrDrainMs = 200;
/** How long a reader may take for the rest of stdout before dispose drops it. */
const stdoutDrainMs = 250;
const notGoneAfterMs = 5_000;

export class HeldChild implements HeldProcess {
  readonly pid: number;
  readonly enforcement: Enforcement;
  readonly heldPlaces: readonly HeldPlace[];
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<ProcessExit>;
  readonly #parts: HeldProcessParts;
  readonly #wakers = new Set<() => void>();
  #leaderGone = false;
  #termAt = Number.POSITIVE_INFINITY;
  #killAt = Number.POSITIVE_INFINITY;
  #killAfterMs = Number.POSITIVE_INFINITY;
  #stopping: Promise<ProcessExit> | undefined;

  constructor(parts: HeldProcessParts) {
    const { child } = parts;
    this.#parts = parts;
    this.pid = parts.pid;
    this.enforcement = parts.enforcement;
    this.heldPlaces = parts.held;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.exited = parts.ended.then(async (exit) => {
      this.#leaderGone = true;
      this.#wake();
      if (this.#stopping === undefined) void this.stop({ graceMs: 0 });
      await settled(child.stderr, stderrDrainMs);
      return exit;
    });
  }

  stderrTail(): string {
    return this.#parts.tail.text();
  }

  protectedPathsMade(): readonly string[] {
    return madeMeanwhile(this.#parts.absent);
  }

  stop({ graceMs = defaultGraceMs, killAfterMs = defaultKillAfterMs }: StopOptions = {}): Promise<ProcessExit> {
    const termAt = performance.now() + graceMs;
    this.#termAt = Math.min(this.#termAt, termAt);
    this.#killAt = Math.min(this.#killAt, termAt + killAfterMs);
    this.#killAfterMs = Math.min(this.#killAfterMs, killAfterMs);
    this.#wake();
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    // A reader that has begun gets the rest; the pipe has no other end now, so there is little of it.
    if (this.stdout.readableFlowing === true) await settled(this.stdout, stdoutDrainMs);
    this.stdout.destroy();
  }

  async #end(): Promise<ProcessExit> {
    const { tree } = this.#parts;
    if (!this.#leaderGone) await tree.members(); // Remembers descendants while their parents still show the way to them.
    this.stdin.end();
    while (!this.#leaderGone && performance.now() < this.#termAt) await this.#sleep(this.#termAt - performance.now());

    let left = await tree.signal('SIGTERM');
    this.#killAt = Math.min(this.#killAt, performance.now() + this.#killAfterMs);
    for (let pause = 5; left > 0 && performance.now() < this.#killAt; pause = Math.min(pause * 2, 100)) {
      await this.#sleep(Math.min(pause, this.#killAt - performance.now()));
      left = (await tree.members()).length;
    }
    await this.#killAll();
    await this.#parts.onGone();
    return this.exited;
  }

  /** Two empty looks in a row: a look is not a snapshot, and a process that forks and ends during one can hide its child. */
  async #killAll(): Promise<void> {
    const { tree, onNotice } = this.#parts;
    const began = performance.now();
    let told = false;
    for (let pause = 2, empty = 0; empty < 2; pause = Math.min(pause * 2, 250)) {
      empty = (await tree.signal('SIGKILL')) === 0 ? empty + 1 : 0;
      if (empty > 0) continue;
      await this.#sleep(pause);
      const afterMs = Math.round(performance.now() - began);
      if (told || afterMs < notGoneAfterMs) continue;
      told = true;
      onNotice({ kind: 'not-gone', pids: await tree.members(), afterMs });
    }
  }

  /** Returns early when the leader ends or a stop is hastened. */
  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakers.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#wakers]) done();
  }
}

/** Resolves when the stream has closed, or after `ms`. */
async function settled(stream: Readable, ms: number): Promise<void> {
  if (stream.closed) return;
  await once(stream, 'close', { signal: AbortSignal.timeout(ms) }).catch(() => {});
}
