import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentSandbox, createAgentSandbox } from './agent-sandbox.ts';
import { type AgentSandboxRules, PLAIN_RULES } from './agent-sandbox-rules.ts';

/** For tests of what is not the sandbox: agents that run as the test does, and say so. */
export const UNCONFINED: AgentSandboxRules = { ...PLAIN_RULES, require: 'declared' };

export function unconfinedSandbox(home: string = tmpdir()): AgentSandbox {
  return createAgentSandbox({ dataDir: join(home, '.reeve-data'), hidden: [], home, enabled: false });
}
