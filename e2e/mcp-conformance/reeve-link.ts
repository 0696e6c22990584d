import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openGateway } from '../../apps/server/src/mcp/gateway.rig.ts';
import type { ScenarioLink } from './act-as-client.ts';

/** To the server of a scenario through the gateway of Reeve, as an agent goes: a command that leads to a unix socket. */
export async function reeveLink(url: string): Promise<ScenarioLink & AsyncDisposable> {
  const rig = await openGateway({ server: { transport: { kind: 'http', url, headers: {} } } });
  const { command, args } = rig.entry;
  return {
    connect: (client) => client.connect(new StdioClientTransport({ command, args: [...args] })),
    recover: async () => false,
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}
