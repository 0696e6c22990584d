import { connectReeve, type Reeve } from '@reeve/client';
import { findServer, type ServerOptions } from './find-server.ts';
import { readConfig } from './read-config.ts';

/** A server to work with, running or embedded. Disposing ends it if it was started here. */
export interface UsedServer extends AsyncDisposable {
  readonly reeve: Reeve;
  readonly embedded: boolean;
}

/** The running server; if there is none, one of our own on the same data directory and any free port of loopback. */
export async function useServer(options: ServerOptions): Promise<UsedServer> {
  const found = await findServer(options);
  if (found.kind === 'running') {
    return { reeve: found.reeve, embedded: false, async [Symbol.asyncDispose]() {} };
  }
  const { config } = readConfig({ file: options.config, dataDir: options.data, host: '127.0.0.1', port: 0 });
  const { startServer } = await import('@reeve/server');
  const server = await startServer({ ...config, log: { level: 'warn' } });
  return {
    reeve: connectReeve({ url: server.url, token: server.token }),
    embedded: true,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
