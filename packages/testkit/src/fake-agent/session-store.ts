import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FloodSpec } from './flood.ts';

/** One entry of a transcript: an update to replay, or a flood to generate again. */
export type TranscriptEntry =
  | { readonly kind: 'update'; readonly update: object }
  | { readonly kind: 'flood'; readonly flood: FloodSpec };

export interface SessionState {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly modeId: string;
  readonly modelId: string;
  readonly config: Readonly<Record<string, string | boolean>>;
  readonly title?: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export interface StoredSession {
  readonly id: string;
  readonly state: SessionState;
  readonly transcript: readonly TranscriptEntry[];
}

/** Sessions of this process, and of earlier ones when there is a directory: one file of JSON lines per session. */
export interface SessionStore {
  find(id: string): StoredSession | undefined;
  all(): StoredSession[];
  /** Creates the session when it is new. */
  setState(id: string, state: SessionState): void;
  append(id: string, entry: TranscriptEntry): void;
  delete(id: string): void;
}

interface Held {
  readonly id: string;
  state: SessionState;
  readonly transcript: TranscriptEntry[];
}

export function openSessionStore(directory: string | undefined): SessionStore {
  const held = new Map<string, Held>();
  if (directory !== undefined) mkdirSync(directory, { recursive: true });

  const fileOf = (id: string): string | undefined =>
    directory === undefined ? undefined : join(directory, `${encodeURIComponent(id)}.jsonl`);
  const keep = (id: string, record: object): void => {
    const file = fileOf(id);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(record)}\n`);
  };
  const find = (id: string): Held | undefined => {
    const file = fileOf(id);
    const session = held.get(id) ?? (file === undefined ? undefined : readSession(id, file));
    if (session !== undefined) held.set(id, session);
    return session;
  };

  return {
    find,
    all: () => {
      const stored = directory === undefined ? [] : readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
      for (const name of stored) find(decodeURIComponent(name.slice(0, -'.jsonl'.length)));
      return [...held.values()];
    },
    setState: (id, state) => {
      const session = find(id);
      if (session === undefined) held.set(id, { id, state, transcript: [] });
      else session.state = state;
      keep(id, { kind: 'state', state });
    },
    append: (id, entry) => {
      find(id)?.transcript.push(entry);
      keep(id, entry);
    },
    delete: (id) => {
      held.delete(id);
      const file = fileOf(id);
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function readSession(id: string, file: string): Held | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  let state: SessionState | undefined;
  const transcript: TranscriptEntry[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const record = JSON.parse(line) as TranscriptEntry | { kind: 'state'; state: SessionState };
    if (record.kind === 'state') state = record.state;
    else transcript.push(record);
  }
  return state === undefined ? undefined : { id, state, transcript };
}
