import { setTimeout as wait } from 'node:timers/promises';
import { connectReeve, type Reeve } from '@reeve/client';
import { CLI_CLIENT } from './cli-client.ts';
import { findServer, type ServerOptions } from './find-server.ts';
import { readConfig } from './read-config.ts';
import type { Terminal } from './terminal.ts';

/** A server to work with, running or embedded. Disposing ends it if it was started here and nobody else is at it. */
export interface UsedServer extends AsyncDisposable {
  readonly reeve: Reeve;
}

const LOOK_MS = 500;

/**
 * The running server; if there is none, one of our own on the same data directory and any free port of loopback. Others
 * find it like any other server: it then stays until their last connection has left, or `interrupt` aborts.
 */
export async function useServer(
  options: ServerOptions,
  terminal: Terminal,
  interrupt?: AbortSignal,
): Promise<UsedServer> {
  const found = await findServer(options);
  if (found.kind === 'running') return { reeve: found.reeve, async [Symbol.asyncDispose]() {} };
  const { config } = readConfig({ file: options.config, dataDir: options.data, host: '127.0.0.1', port: 0 });
  const { startServer } = await import('@reeve/server');
  const server = await startServer({ ...config, log: { level: 'warn' } });
  const reeve = connectReeve({ url: server.url, token: server.token, client: CLI_CLIENT });
  return {
    reeve,
    async [Symbol.asyncDispose]() {
      for (let looks = 0; !interrupt?.aborted && (await othersAreAttached(reeve)); looks += 1) {
        // The first look may still see this command's own connection.
        if (looks === 1)
          terminal.note('reeve: others work with the server that this command started: it stays until they leave');
        await wait(LOOK_MS, undefined, interrupt ? { signal: interrupt } : {}).catch(() => {});
      }
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Our own connections are closed by now, or about to be seen as closed. */
async function othersAreAttached(reeve: Reeve): Promise<boolean> {
  const { sessions } = await reeve.sessions.list({ limit: 1000 }).catch(() => ({ sessions: [] }));
  return sessions.some(({ attached }) => attached > 0);
}
