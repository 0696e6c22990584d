import type { Exchange } from './exchange.ts';

/** Agents that count silence start again at each (measured: opencode, copilot, claude, qwen). */
const EVERY_MS = 10_000;

/** Tells the agent, while a call is held, that it is still being dealt with, where its call asked for progress. */
export async function holdWithProgress<T>(exchange: Exchange, held: Promise<T>): Promise<T> {
  const { progressToken } = exchange;
  if (progressToken === undefined) return held;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken: JSON.parse(progressToken), progress, message: 'waiting for approval' };
    exchange.send(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })));
  }, EVERY_MS);
  exchange.onSettled(() => clearInterval(timer));
  try {
    return await held;
  } finally {
    clearInterval(timer);
  }
}
