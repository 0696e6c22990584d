import { fileURLToPath } from 'node:url';

/** How to start a program: the shape of an entry of Reeve's agent registry. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The command of a fake agent with these flags (fake-agent/flags.ts), run by the Node that runs this. */
export function fakeAgentCommand(flags: readonly string[] = []): AgentCommand {
  const main = fileURLToPath(new URL('./fake-agent/main.ts', import.meta.url));
  return { command: process.execPath, args: [main, ...flags], env: {} };
}
