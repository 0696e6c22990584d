import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problem } from './problem.ts';

export interface RawProblem {
  readonly name: Parameters<typeof problem>[0];
  readonly detail: string;
  readonly next: string;
}

/** A whole answer for a socket that has no response object. */
export function rawAnswer(status: number, type: string, body: string): string {
  const head = [
    `HTTP/1.1 ${status} Refused`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export function rawProblem(status: number, { name, detail, next }: RawProblem): string {
  return rawAnswer(status, PROBLEM_TYPE, JSON.stringify(problem(name, { detail, status, next })));
}

/** Sends the text and closes; a peer that keeps its side open holds nothing. */
export function sayLast(socket: Socket, text: string): void {
  socket.write(text);
  socket.destroySoon();
}
