import type { McpServer } from '@reeve/protocol';
import type { DeclaredServer, ServerTransport } from '../boundary/declared-server.ts';

/**
 * The servers of a session that Reeve governs: those that its client gave, and those of the configuration and of files whose names the
 * client left free and that are not switched off. One that the client itself serves (`type: "acp"`) is none of them.
 * @param off names; metadata of a session, so anything
 */
export function declaredServers(
  given: readonly McpServer[],
  configured: readonly DeclaredServer[],
  off: unknown,
): readonly DeclaredServer[] {
  const names = new Set([...given.map(({ name }) => name), ...(Array.isArray(off) ? off : [])]);
  const ofClient = given.flatMap((server): DeclaredServer[] => {
    const transport = transportOf(server);
    return transport ? [{ name: server.name, origin: 'client', transport }] : [];
  });
  return [...ofClient, ...configured.filter(({ name }) => !names.has(name))];
}

function transportOf(server: McpServer): ServerTransport | undefined {
  switch (server.type) {
    case 'acp':
      return undefined;
    case 'http':
    case 'sse':
      return { kind: server.type, url: server.url, headers: valuesOf(server.headers) };
    default:
      return { kind: 'stdio', command: server.command, args: server.args, env: valuesOf(server.env) };
  }
}

/** Of two values of one name the last counts, as it does for a process. */
function valuesOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
