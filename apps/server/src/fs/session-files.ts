import { isObject, type JsonObject } from '@reeve/protocol';
import type { OpenRoots } from '../boundary/open-roots.ts';
import { badParams } from '../boundary/refusal.ts';
import { lineRange } from './line-range.ts';
import { readTextFile } from './read-text-file.ts';
import { writeTextFile } from './write-text-file.ts';

export type FileMethod = 'fs/read_text_file' | 'fs/write_text_file';

export function isFileMethod(method: string): method is FileMethod {
  return method === 'fs/read_text_file' || method === 'fs/write_text_file';
}

/**
 * `fs/*` for the agent of one session (ACP, file system), inside its roots. One at a time, in the order of the requests, so that a read
 * sees the write before it and the memory of all is that of one.
 */
export class SessionFiles {
  readonly #roots: Promise<OpenRoots>;
  readonly #maxFileBytes: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(roots: Promise<OpenRoots>, maxFileBytes: number) {
    this.#roots = roots;
    this.#maxFileBytes = maxFileBytes;
  }

  /** The result of the method; throws a ReeveError. A write that `signal` comes too late for is done. */
  answer(method: FileMethod, params: unknown, signal: AbortSignal): Promise<JsonObject> {
    const answered = this.#last.then(() => {
      signal.throwIfAborted();
      return method === 'fs/read_text_file' ? this.#read(params, signal) : this.#write(params, signal);
    });
    this.#last = answered.catch(() => {});
    return answered;
  }

  /** Resolves when what was asked has been answered. */
  async idle(): Promise<void> {
    await this.#last;
  }

  async #read(params: unknown, signal: AbortSignal): Promise<JsonObject> {
    const given = isObject(params) ? params : {};
    const line = lineNumber(given, 'line');
    const limit = lineNumber(given, 'limit');
    const text = await readTextFile(await this.#roots, textOf(given, 'path'), this.#maxFileBytes, signal);
    return { content: lineRange(text, line, limit) };
  }

  async #write(params: unknown, signal: AbortSignal): Promise<JsonObject> {
    const given = isObject(params) ? params : {};
    const content = textOf(given, 'content');
    await writeTextFile(await this.#roots, textOf(given, 'path'), content, this.#maxFileBytes, signal);
    return {};
  }
}

function textOf(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw badParams(`"${name}" must be a text`);
  return value;
}

function lineNumber(params: JsonObject, name: string): number | undefined {
  const value = params[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw badParams(`"${name}" must be a whole number of lines`);
  }
  return value;
}
