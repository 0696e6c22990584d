import { spawn } from 'node:child_process';
import { type ChildEnd, childEnd, stopChild } from './child-end.ts';
import { type AgentCommand, fakeAgentCommand } from './fake-agent-command.ts';
import { JsonRpcPeer, type PeerOptions } from './json-rpc-peer.ts';
import { lineTransport } from './message-transport.ts';

/** An agent process with a raw client on its stdio, nothing between them. Disposing ends the process. */
export interface StartedAgent extends AsyncDisposable {
  readonly peer: JsonRpcPeer;
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface StartAgentOptions extends PeerOptions {
  /** The fake agent without flags by default. */
  readonly command?: AgentCommand;
  readonly cwd?: string;
}

export function startAgent(options: StartAgentOptions = {}): StartedAgent {
  const { command = fakeAgentCommand(), cwd, ...peerOptions } = options;
  const child = spawn(command.command, command.args, {
    env: { ...process.env, ...command.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = childEnd(child);
  ended.catch(() => undefined);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    peer: new JsonRpcPeer(lineTransport(child.stdout, child.stdin), peerOptions),
    pid: child.pid ?? -1,
    ended,
    stderr: () => stderr,
    kill: (signal) => {
      child.kill(signal);
    },
    [Symbol.asyncDispose]: () => stopChild(child, ended, 200),
  };
}
