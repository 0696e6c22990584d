import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { encodeError, parseMessage } from '@reeve/protocol';
import { createLineSplitter, type HeldProcess, type LineEdges, type ProcessExit } from '@reeve/sandbox';
import { CODE } from '../wire/mcp-keys.ts';
import { writeLine } from '../wire/write-line.ts';
import type { LinkListener, UpstreamLink } from './upstream-link.ts';

export interface StdioLinkOptions {
  readonly maxLineBytes: number;
  /**
   * What of its own accord (anything but answers) is read at once; more waits for the next slot of 10 ms, so that a server that floods
   * costs a bounded share of our time.
   */
  readonly burstBytes: number;
  /** Why we ended it; undefined where it ended by itself. */
  readonly why?: () => string | undefined;
}

const SLOT_MS = 10;
const DRAIN_MS = 300;
const STOP = { graceMs: 1000, killAfterMs: 1000 };

/** MCP over the stdio of a process: one message a line (MCP, transports, stdio). */
export function createStdioLink(
  process: HeldProcess,
  listener: LinkListener,
  { maxLineBytes, burstBytes, why }: StdioLinkOptions,
): UpstreamLink {
  const { stdin, stdout } = process;
  let over = false;
  let held = false;
  let unasked = 0;
  let slot: NodeJS.Timeout | undefined;

  const splitter = createLineSplitter({
    maxLineBytes,
    onLine: receive,
    onOversize: (bytes, edges) => {
      const id = answeredId(edges);
      if (id === undefined) {
        unasked += bytes;
        return listener.onNoise(`a line of ${bytes} bytes, over the limit of ${maxLineBytes} (limits.mcpMessageBytes)`);
      }
      const message = `the answer of the server has ${bytes} bytes, over the limit of ${maxLineBytes} (limits.mcpMessageBytes): ask for less at once`;
      receive(Buffer.from(encodeError(id, { code: CODE.internal, message })));
    },
  });

  function receive(line: Buffer): void {
    if (over) return;
    const message = parseMessage(line.toString());
    if (message.kind !== 'result' && message.kind !== 'error') unasked += line.length;
    if (message.kind === 'not-json' || message.kind === 'invalid') {
      listener.onNoise(line.toString('utf8', 0, 200));
      return;
    }
    try {
      listener.onMessage(message, line);
    } catch (error) {
      listener.onNoise(`a message that could not be dealt with: ${String(error)}`);
    }
  }

  function flow(): void {
    if (held || slot !== undefined) stdout.pause();
    else stdout.resume();
  }

  stdout.on('data', (chunk: Buffer) => {
    splitter.push(chunk);
    if (unasked < burstBytes || slot !== undefined) return;
    unasked = 0;
    slot = setTimeout(() => {
      slot = undefined;
      flow();
    }, SLOT_MS);
    flow();
  });
  const drained = new Promise<void>((resolve) => {
    stdout.once('end', () => {
      splitter.end();
      resolve();
    });
    stdout.once('close', resolve);
    stdout.once('error', () => resolve());
  });

  const ended = process.exited.then(async (exit) => {
    // What it said last may be the answer that is waited for; a grandchild that kept stdout open does not hold up the news.
    held = false;
    clearTimeout(slot);
    slot = undefined;
    stdout.resume();
    await Promise.race([drained, setTimeoutPromise(DRAIN_MS, undefined, { ref: false })]);
    over = true;
    return why?.() ?? describeExit(exit);
  });

  return {
    send(raw) {
      if (!over && stdin.writable) writeLine(stdin, raw);
    },
    cancel(_id, raw) {
      this.send(raw);
    },
    agreed() {},
    hopeless: false,
    get unreadBytes() {
      return stdin.writableLength;
    },
    pause() {
      held = true;
      flow();
    },
    resume() {
      held = false;
      flow();
    },
    ended,
    async [Symbol.asyncDispose]() {
      over = true;
      clearTimeout(slot);
      await process.stop(STOP);
    },
  };
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null
    ? `the server's process ended with code ${code}`
    : `the server's process was ended by ${signal}`;
}

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,\s*"(?:result|error|jsonrpc)"/;
const ANSWER_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/;
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/;

/** Which request a line that was dropped has answered, as servers write it: the id stands before the answer or at the end. */
function answeredId({ head, tail }: LineEdges): number | undefined {
  const begin = head.toString('latin1');
  const id =
    ID_FIRST.exec(begin)?.[1] ?? (ANSWER_FIRST.test(begin) ? ID_LAST.exec(tail.toString('latin1'))?.[1] : undefined);
  return id === undefined ? undefined : Number(id);
}
