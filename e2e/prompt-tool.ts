import { isObject } from '@reeve/protocol';
import { callMcpToolThenSay } from '@reeve/testkit';
import type { RealAgentLab } from './real-agent-lab.ts';
import type { SdkClient } from './sdk-client.ts';

export interface ToolPrompt {
  readonly lab: RealAgentLab;
  readonly client: SdkClient;
  readonly sessionId: string;
  /** Ends in this name, as each agent spells the tools of servers. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

let prompts = 0;

/** Has the agent call a tool of an MCP server, and gives what its model was told came of it. Rejects when the turn ends in another way. */
export async function promptTool({ lab, client, sessionId, tool, args }: ToolPrompt): Promise<string> {
  prompts += 1;
  const phrase = `call number ${prompts}`;
  lab.model.script(callMcpToolThenSay(phrase, tool, args, 'That was it.'));
  const before = lab.model.requests.length;
  const prompt = [{ type: 'text' as const, text: `Please do ${phrase}` }];
  const ended: unknown = await client.agent.request('session/prompt', { sessionId, prompt });
  if (!isObject(ended) || ended.stopReason !== 'end_turn')
    throw new Error(`the turn ended with ${JSON.stringify(ended)}`);
  return lab.model.requests
    .slice(before)
    .flatMap(({ toolResults }) => toolResults)
    .join('\n');
}
