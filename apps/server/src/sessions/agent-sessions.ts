import { isObject, type JsonObject } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { SessionServices } from './session-services.ts';

/** An agent, as one client sees it. */
export interface AskedAgent {
  readonly entry: AgentEntry;
  readonly profile: ClientProfile;
}

/** One page of what an agent lists (ACP, session/list). */
export type AgentPage =
  | { readonly kind: 'page'; readonly sessions: readonly JsonObject[]; readonly nextCursor?: string }
  /** The agent announces no list. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly error: string };

/** How many pages are searched for one session. */
const MAX_SEARCHED = 50;

/** Which of the optional session methods the result of an agent's `initialize` announces. */
export function announced({ agentCapabilities }: JsonObject): {
  readonly load: boolean;
  readonly resume: boolean;
  readonly list: boolean;
  readonly fork: boolean;
  readonly additionalDirectories: boolean;
} {
  const capabilities = isObject(agentCapabilities) ? agentCapabilities : {};
  const session = isObject(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {};
  return {
    load: capabilities.loadSession === true,
    resume: isObject(session.resume),
    list: isObject(session.list),
    fork: isObject(session.fork),
    additionalDirectories: isObject(session.additionalDirectories),
  };
}

/** Asks an agent process that serves no session. Never rejects, and takes no longer than `timeouts.agentListMs`. */
export async function listAgentSessions(
  services: SessionServices,
  { entry, profile }: AskedAgent,
  query: { readonly cwd?: string; readonly cursor?: string },
): Promise<AgentPage> {
  const { agents, limits } = services;
  const ask = async (): Promise<AgentPage> => {
    if (!announced(await agents.initialize(entry, profile)).list) return { kind: 'none' };
    const { connection } = await agents.borrow(entry, profile);
    const reply = await connection.call('session/list', query);
    if (reply.kind === 'gone') return { kind: 'failed', error: 'the agent process ended' };
    if (reply.kind === 'error') return { kind: 'failed', error: reply.error.message };
    const { sessions, nextCursor } = isObject(reply.result) ? reply.result : {};
    if (!Array.isArray(sessions)) return { kind: 'failed', error: 'the agent gave no list' };
    const listed = sessions.filter(isObject);
    return { kind: 'page', sessions: listed, ...(typeof nextCursor === 'string' ? { nextCursor } : {}) };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<AgentPage>((resolve) => {
    const error = `no answer within ${limits.agentListMs} ms (timeouts.agentListMs)`;
    timer = setTimeout(resolve, limits.agentListMs, { kind: 'failed', error });
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (error) {
    return { kind: 'failed', error: services.rpcErrorOf(error).message };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether an agent lists a session; `unsure` where it cannot list, or not all of it. */
export async function findAtAgent(
  services: SessionServices,
  asked: AskedAgent,
  sessionId: string,
): Promise<{ readonly kind: 'listed'; readonly session: JsonObject } | { readonly kind: 'unlisted' | 'unsure' }> {
  let cursor: string | undefined;
  const deadline = performance.now() + services.limits.agentListMs;
  for (let page = 0; page < MAX_SEARCHED && performance.now() < deadline; page += 1) {
    const found = await listAgentSessions(services, asked, cursor === undefined ? {} : { cursor });
    if (found.kind !== 'page') return { kind: 'unsure' };
    const session = found.sessions.find((listed) => listed.sessionId === sessionId);
    if (session) return { kind: 'listed', session };
    if (found.nextCursor === undefined) return { kind: 'unlisted' };
    cursor = found.nextCursor;
  }
  return { kind: 'unsure' };
}
