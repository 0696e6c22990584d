import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { newSession, promptText } from '../servers/reeve.ts';
import { WebSocketClient } from './web-socket-client.ts';

/** Runs in a thread of its own, so that what else the benchmark does never makes it wait; see `startBystander`. */

const { url, token } = workerData as { readonly url: string; readonly token: string };
const client = await WebSocketClient.open({ url, token });
const sessionId = await newSession(client);
const agent = new Agent({ keepAlive: true });

let prompts: number[] = [];
let pings: number[] = [];

async function ping(): Promise<void> {
  const from = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(`${url}/v1/health`, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
  pings.push(performance.now() - from);
}

async function prompt(): Promise<void> {
  const from = performance.now();
  await client.request('session/prompt', promptText(sessionId, 'hello'));
  prompts.push(performance.now() - from);
}

async function again(act: () => Promise<void>, pauseMs: number): Promise<never> {
  for (;;) {
    await act();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

parentPort?.on('message', () => {
  parentPort?.postMessage({ prompts, pings });
  [prompts, pings] = [[], []];
});
parentPort?.postMessage('ready');
await Promise.all([again(ping, 1), again(prompt, 5)]);
