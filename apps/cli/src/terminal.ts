import { safeLine, safeText } from './safe-text.ts';

/** Where a command writes: results to stdout, all else to stderr. */
export interface Terminal {
  /** What the command was asked for; made safe when a person reads it. */
  text(text: string): void;
  /** One line of a result. */
  line(text: string): void;
  json(value: unknown): void;
  /** A line of JSON as it came. */
  raw(line: string): void;
  /** Progress and hints. */
  note(text: string): void;
  /** True when a person can be asked. */
  readonly interactive: boolean;
}

/** `onReaderGone` is called when nobody reads stdout any more. */
export function processTerminal(onReaderGone: () => void): Terminal {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    onReaderGone();
  });
  stderr.on('error', () => {});
  const write = (text: string): void => void stdout.write(stdout.isTTY ? safeText(text) : text);
  return {
    text: write,
    line: (text) => write(`${text}\n`),
    json: (value) => write(`${JSON.stringify(value)}\n`),
    raw: (line) => write(`${line}\n`),
    note: (text) => void stderr.write(`${safeText(text).replaceAll('\n', ' ').slice(0, 4000)}\n`),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
  };
}

/** No cell is cut: for paths and fingerprints, which are typed again. */
export const WHOLE = 5000;

/** Rows under their headings, columns as wide as needed; cells are made safe and cut. */
export function table(headings: readonly string[], rows: readonly (readonly unknown[])[], maxCell = 60): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => safeLine(String(cell ?? ''), maxCell)))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Milliseconds since the epoch as ISO text to the second. */
export function timeText(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : `${date.toISOString().slice(0, 19)}Z`;
}
