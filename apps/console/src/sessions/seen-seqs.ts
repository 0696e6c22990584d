const KEY = 'reeve.seen';
/** Sessions beyond it are forgotten, the longest unseen first. */
const MAX = 500;

type Seen = ReadonlyMap<string, number>;

const listeners = new Set<() => void>();
let known: { readonly text: string | null; readonly seen: Seen } = { text: null, seen: new Map() };

/** Up to which event each session was looked at in this browser; 0 for one that was not. */
export function seenSeq(sessionId: string): number {
  return read().get(sessionId) ?? 0;
}

export function rememberSeen(sessionId: string, seq: number): void {
  if (seenSeq(sessionId) >= seq) return;
  const seen = new Map(read());
  seen.delete(sessionId);
  seen.set(sessionId, seq);
  localStorage.setItem(KEY, JSON.stringify([...seen].slice(-MAX)));
  for (const listener of listeners) listener();
}

/** Calls `listener` when a session was looked at, in this tab or another one of the browser. Gives what ends that. */
export function watchSeen(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function read(): Seen {
  const text = localStorage.getItem(KEY);
  if (text !== known.text) known = { text, seen: parsed(text) };
  return known.seen;
}

/** Anybody can write to the storage of a browser: what is no list of marks counts as none. */
function parsed(text: string | null): Seen {
  try {
    const marks: unknown = JSON.parse(text ?? '[]');
    return new Map(Array.isArray(marks) ? marks.filter(isMark) : []);
  } catch {
    return new Map();
  }
}

function isMark(mark: unknown): mark is [string, number] {
  return Array.isArray(mark) && typeof mark[0] === 'string' && Number.isSafeInteger(mark[1]);
}
