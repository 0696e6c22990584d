import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import type { Finding } from './doctor-report.ts';

/** The server of the same data directory, where one runs. */
export interface FoundServer {
  readonly url: string;
}

export interface AddressQuestions {
  readonly running: FoundServer | undefined;
  /** Whether a Reeve answers at this URL. */
  readonly isReeve: (url: string) => Promise<boolean>;
}

/** Whether a server of this configuration could listen, found by listening for a moment. */
export async function examineAddress(
  { host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>,
  { running, isReeve }: AddressQuestions,
): Promise<Finding> {
  const id = 'address';
  if (running !== undefined) return { id, state: 'ok', detail: `a server runs at ${running.url}` };
  const code = await tryToListen(host, port);
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (code) {
    case undefined:
      return { id, state: 'ok', detail: port === 0 ? `any free port of ${host}` : `${place} is free` };
    case 'EADDRINUSE': {
      const reeve = await isReeve(`${tls ? 'https' : 'http'}://${place}`);
      return {
        id,
        state: 'wrong',
        detail: `${place} is taken by ${reeve ? 'a Reeve with another data directory' : 'another program'}`,
        next: reeve
          ? 'Name its data directory with --data, or choose another port for this one (--port, "port").'
          : 'Stop what listens there, or choose another port (--port, "port").',
      };
    }
    case 'EACCES':
      return {
        id,
        state: 'wrong',
        detail: `this user may not listen on ${place}`,
        next: 'Choose a port from 1024 up (--port, "port").',
      };
    default:
      return {
        id,
        state: 'wrong',
        detail: `nothing can listen on ${place} (${code})`,
        next: 'Choose an address of this machine (--host, "host").',
      };
  }
}

/** The error's code; undefined where it worked. */
async function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    server.close();
  }
}
