import { StringDecoder } from 'node:string_decoder';
import type { ExitStatus } from './exit-status.ts';
import { createOutputTail } from './output-tail.ts';

/** What the log of a session has of a terminal that Reeve runs, beside what its agent asked about it. */
export type TerminalFact =
  /** `output` follows what was told before, where `omittedBytes` stands after so many bytes that were not kept. */
  | {
      readonly kind: 'output';
      readonly terminalId: string;
      readonly output: string;
      readonly omittedBytes?: number;
    }
  /** Nothing more comes. Neither code nor signal: it was stopped with the agent. */
  | ({ readonly kind: 'exited'; readonly terminalId: string } & ExitStatus);

export interface TerminalRecordOptions {
  readonly terminalId: string;
  /** Bytes of output that are told in all; 0: none. */
  readonly maxBytes: number;
  readonly tell: (fact: TerminalFact) => void;
}

/** Gathers what a command writes into a few facts. */
export interface TerminalRecord {
  push(chunk: Buffer): void;
  /** Tells what is left, and how it ended. Nothing is told afterwards. Idempotent. */
  end(exit: ExitStatus): void;
}

/** What is written within this time is one fact. */
const GATHER_MS = 100;
/** What waits is told before that when there is so much of it. */
const GATHER_BYTES = 64 * 1024;

/**
 * The beginning is told as it comes, up to three quarters of `maxBytes`; of what follows the end, when the command has ended: where a
 * command fails, its last words say why.
 */
export function createTerminalRecord({ terminalId, maxBytes, tell }: TerminalRecordOptions): TerminalRecord {
  const decoder = new StringDecoder('utf8');
  const tailBytes = Math.floor(maxBytes / 4);
  const tail = createOutputTail(tailBytes);
  let room = maxBytes - tailBytes;
  let beyond = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const tellOutput = (output: string, omittedBytes = 0): void => {
    if (output !== '' || omittedBytes > 0) {
      tell({ kind: 'output', terminalId, output, ...(omittedBytes > 0 ? { omittedBytes } : {}) });
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const gathered = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    tellOutput(decoder.write(gathered));
  };
  const take = (chunk: Buffer): void => {
    if (chunk.length === 0) return;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    room -= chunk.length;
    if (waitingBytes >= GATHER_BYTES) flush();
    else timer ??= setTimeout(flush, GATHER_MS);
  };
  return {
    push(chunk) {
      if (ended) return;
      const cut = beyond > 0 ? 0 : characterEnd(chunk, room);
      take(chunk.subarray(0, cut));
      if (cut === chunk.length) return;
      beyond += chunk.length - cut;
      tail.push(chunk.subarray(cut));
    },
    end(exit) {
      if (ended) return;
      ended = true;
      flush();
      tellOutput(decoder.end());
      tail.end();
      const rest = tail.text();
      tellOutput(rest, tail.truncated ? Math.max(1, beyond - Buffer.byteLength(rest)) : 0);
      tell({ kind: 'exited', terminalId, ...exit });
    },
  };
}

/** The end of the last whole character within the first `room` bytes. */
function characterEnd(chunk: Buffer, room: number): number {
  if (chunk.length <= room) return chunk.length;
  let end = Math.max(0, room);
  while (end > 0 && ((chunk[end] as number) & 0xc0) === 0x80) end -= 1;
  return end;
}
