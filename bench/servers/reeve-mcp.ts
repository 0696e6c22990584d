import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectWebSocket, fakeAgentCommand, script, startReeve } from '@reeve/testkit';

/** An MCP server as Reeve gives it to agents, in both ways. */
export interface ReeveServers extends AsyncDisposable {
  /** The unix socket behind the command that most agents are given. */
  readonly socket: string;
  /** For agents that take no commands. */
  readonly http: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** What agents start where there is no socat. */
export const SHIM_SCRIPT = fileURLToPath(new URL('../../apps/server/src/mcp/endpoint/shim.mjs', import.meta.url));

/** An agent of this name is known to take no commands. */
const TAKES_HTTP = 'copilot';

interface Entry {
  readonly args?: readonly string[];
  readonly url?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Where socat is on the PATH. */
export function socatProgram(): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter);
  return places.map((place) => join(place, 'socat')).find(isProgram);
}

/** A server as a user starts it, with one MCP server in its configuration, and a session of two agents each. */
export async function openReeveServers(server: {
  readonly command: string;
  readonly args: readonly string[];
}): Promise<ReeveServers> {
  const opened = new AsyncDisposableStack();
  const agents = { fake: fakeAgentCommand(), [TAKES_HTTP]: fakeAgentCommand() };
  const config = { agents, defaultAgent: 'fake', mcpServers: { everything: server }, log: { level: 'error' } };
  const reeve = opened.use(await startReeve({ config }));
  const cwd = await mkdtemp(join(tmpdir(), 'reeve-bench-'));
  opened.defer(() => rm(cwd, { recursive: true }));
  const given = async (agent: string): Promise<Entry> => {
    const peer = opened.use(await connectWebSocket(`${reeve.url}/acp?agent=${agent}`, { token: reeve.token }));
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const prompt = [{ type: 'text', text: script({ received: 'session' }) }];
    await peer.request('session/prompt', { sessionId, prompt });
    const { mcpServers } = JSON.parse(peer.agentTexts().at(-1) ?? '{}') as { readonly mcpServers?: readonly Entry[] };
    const [entry] = mcpServers ?? [];
    if (entry === undefined) throw new Error(`${agent} was given no MCP server`);
    return entry;
  };
  const [command, address] = [await given('fake'), await given(TAKES_HTTP)];
  const socket = command.args?.at(-1)?.replace('UNIX-CONNECT:', '');
  if (socket === undefined || address.url === undefined) throw new Error('the MCP server was given in another way');
  const headers = Object.fromEntries((address.headers ?? []).map(({ name, value }) => [name, value]));
  return { socket, http: { url: address.url, headers }, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
