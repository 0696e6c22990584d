const KEY = 'reeve.seen';
/** Sessions beyond it are forgotten, the longest unseen first. */
const MAX = 500;

/** Up to which event each session was looked at in this browser. */
export function seenSeq(sessionId: string): number {
  return read().get(sessionId) ?? 0;
}

export function rememberSeen(sessionId: string, seq: number): void {
  const seen = read();
  if ((seen.get(sessionId) ?? 0) >= seq) return;
  seen.delete(sessionId);
  seen.set(sessionId, seq);
  localStorage.setItem(KEY, JSON.stringify([...seen].slice(-MAX)));
}

function read(): Map<string, number> {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEY) ?? '[]') as [string, number][]);
  } catch {
    return new Map();
  }
}
