import type { SessionDirectory } from '../sessions/session-directory.ts';
import { ClientConnection } from './client-connection.ts';
import type { AcceptConnection } from './transport.ts';

export interface Connections {
  readonly accept: AcceptConnection;
  readonly count: number;
}

/** The connections of all transports, up to a limit. */
export function createConnections(
  directory: SessionDirectory,
  options: { readonly maxConnections: number; readonly maxEarlyMessages: number; readonly version: string },
): Connections {
  const open = new Set<ClientConnection>();
  return {
    accept(transport, { agent }) {
      if (open.size >= options.maxConnections) return undefined;
      const connection: ClientConnection = new ClientConnection({
        directory,
        transport,
        agent,
        version: options.version,
        maxEarlyMessages: options.maxEarlyMessages,
        onVanish: () => open.delete(connection),
      });
      open.add(connection);
      return connection;
    },
    get count() {
      return open.size;
    },
  };
}
