import { fileURLToPath } from 'node:url';
import type { AgentCommand } from './fake-agent-command.ts';

/** The command of an agent that plays its part of a recording (recorded-agent/main.ts). */
export function recordedAgentCommand(file: string): AgentCommand {
  const main = fileURLToPath(new URL('./recorded-agent/main.ts', import.meta.url));
  return { command: process.execPath, args: [main, file], env: {} };
}
