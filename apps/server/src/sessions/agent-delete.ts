import { isObject, type JsonObject } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { AgentLink } from './agent-link.ts';
import type { SessionServices } from './session-services.ts';

/** How long an agent may take to forget a session before its process is stopped. */
const DELETE_MS = 2_000;

/** Whether the result of an agent's `initialize` says that it can delete sessions (ACP, session/delete). */
export function announcesDelete({ agentCapabilities, capabilities }: JsonObject): boolean {
  const v1 = isObject(agentCapabilities) ? agentCapabilities.sessionCapabilities : undefined;
  const v2 = isObject(capabilities) ? capabilities.session : undefined;
  return (isObject(v1) && isObject(v1.delete)) || (isObject(v2) && isObject(v2.delete));
}

/** Has the agent forget its part. Whatever it answers, and whether it does in time, Reeve deletes its own. */
export async function deleteAtAgent({
  connection,
  agentSessionId,
}: Pick<AgentLink, 'connection' | 'agentSessionId'>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DELETE_MS);
  });
  await Promise.race([connection.call('session/delete', { sessionId: agentSessionId }), late]);
  clearTimeout(timer);
}

/** Has the agent forget a session that no process serves. Whatever comes of it, Reeve deletes its own. */
export async function forgetAtAgent(
  { agents, warn }: SessionServices,
  agent: string,
  agentSessionId: string,
  profile: ClientProfile,
): Promise<void> {
  try {
    const entry = agents.entry(agent);
    if (!announcesDelete(await agents.initialize(entry, profile))) return;
    const { connection } = await agents.borrow(entry, profile);
    await deleteAtAgent({ connection, agentSessionId });
  } catch (error) {
    warn('an agent could not be asked to forget a session', { agent, error: String(error) });
  }
}
