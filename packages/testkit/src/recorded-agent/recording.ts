import { readFileSync } from 'node:fs';

/** One line that crossed an agent's stdio, as it stood. */
export interface RecordedLine {
  readonly from: 'client' | 'agent';
  readonly line: string;
}

/** What tells messages apart: a request has both members, a notification no `id`, an answer no `method`. */
export interface RecordedMessage {
  readonly id?: string | number | null;
  readonly method?: string;
}

/** Reads a file of one `RecordedLine` as JSON per line, in the order in which they crossed. */
export function readRecording(file: string): RecordedLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RecordedLine);
}
