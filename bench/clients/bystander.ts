import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What somebody else had of the server meanwhile; milliseconds. */
export interface BystanderTimes {
  /** Prompts of a session of its own, there and back, one after the other. */
  readonly prompts: readonly number[];
  /** Of the least request that there is, every millisecond: the longest is how long nobody was answered. */
  readonly pings: readonly number[];
}

/** Another client of the server with a small session of its own, which always wants something. */
export interface Bystander extends AsyncDisposable {
  /** Since it was last asked. */
  times(): Promise<BystanderTimes>;
}

export async function startBystander(server: { readonly url: string; readonly token: string }): Promise<Bystander> {
  const { url, token } = server;
  const worker = new Worker(new URL('./bystander-worker.ts', import.meta.url), { workerData: { url, token } });
  await once(worker, 'message');
  return {
    async times() {
      const answer = once(worker, 'message');
      worker.postMessage('times');
      return (await answer)[0] as BystanderTimes;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
