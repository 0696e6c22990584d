import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { type JsonRpcPeer, openPeer, type Params } from './json-rpc-peer.ts';

/** An MCP server as `session/new` names it (ACP, session setup): this agent takes commands only. */
export interface NamedServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
}

/** An MCP server that this agent has started. Disposing ends it. */
export interface McpServerLink extends Disposable {
  call(tool: string, given: Params, signal: AbortSignal): Promise<ToolAnswer>;
}

/** Starts what `session/new` named and initializes it (MCP, lifecycle). */
export async function linkServer(
  { command, args, env }: NamedServer,
  cwd: string,
  signal: AbortSignal,
): Promise<McpServerLink> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the server was started without pipes');
  child.on('error', () => stdout.destroy());
  const peer: JsonRpcPeer = openPeer(stdout, stdin, {
    ping: () => ({}),
    'roots/list': () => ({ roots: [{ uri: pathToFileURL(cwd).href, name: 'project' }] }),
  });
  await peer.request(
    'initialize',
    {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: false } },
      clientInfo: { name: 'reeve-demo-agent', version: '1.0.0' },
    },
    signal,
  );
  peer.notify('notifications/initialized', {});
  return {
    async call(tool, given, during) {
      const { isError, content } = await peer.request('tools/call', { name: tool, arguments: given }, during);
      const blocks = Array.isArray(content) ? (content as Params[]) : [];
      return { isError: isError === true, text: blocks.map(({ text }) => String(text ?? '')).join('\n') };
    },
    [Symbol.dispose]() {
      child.kill();
    },
  };
}
