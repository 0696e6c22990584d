/** Resolves when the work is done, or the signal aborts, whichever comes first. The work goes on. */
export async function waitUntil(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener('abort', leave, { once: true });
  await Promise.race([work, promise]);
  signal.removeEventListener('abort', leave);
}
