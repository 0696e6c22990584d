import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The server for the suite's server scenarios, in a process of its own. */
export interface SuiteProcess extends AsyncDisposable {
  readonly url: string;
}

const PROGRAM = fileURLToPath(new URL('./serve-suite.ts', import.meta.url));

/** `http`: the server itself; `reeve`: the same behind the gateway, by its command; `reeve-http`: by its HTTP endpoint. */
export async function startSuiteServer(how: 'http' | 'reeve' | 'reeve-http'): Promise<SuiteProcess> {
  const child = spawn(process.execPath, [PROGRAM, how], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  const [url] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [unknown];
  if (typeof url !== 'string') throw new Error(`the server for the suite did not start: ${String(url)}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}
