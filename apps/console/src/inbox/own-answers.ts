const answered = new Set<string>();

/** Remembers that the request was answered on this page; `undo` where the answer was not taken. */
export function rememberOwnAnswer(requestId: string): { undo(): void } {
  answered.add(requestId);
  return { undo: () => answered.delete(requestId) };
}

/** Whether it was this page that answered. */
export function isOwnAnswer(requestId: string): boolean {
  return answered.has(requestId);
}
