import { isObject, META_KEY, ReeveError } from '@reeve/protocol';
import type { AgentReply } from '../agents/agent-connection.ts';
import { crashError, type LaunchedAgent } from '../agents/agent-launch.ts';
import type { Heard } from './agent-link.ts';
import type { RestoredAgent, RestoreRequest } from './agent-restore.ts';

export interface ResumedAgent extends RestoredAgent {
  /** How the agent says that things stand, to be passed on (ACP v2: each resume tells it). */
  readonly heard: readonly Heard[];
}

/**
 * Brings a conversation of ACP v2 into a fresh agent process by `session/resume`, which every v2 agent has, without replay: our log is
 * the history. There is no other way: a new session of the agent would give ids to its messages that are in our log already. When it
 * resolves, the connection holds what the agent sends next until somebody listens.
 */
export async function resumeAgent(
  { connection, initialize }: LaunchedAgent,
  { agentName, agentSessionId, cwd, additionalDirectories, mcpServers, metadata, silenceMs }: RestoreRequest,
): Promise<ResumedAgent> {
  const capabilities = isObject(initialize.capabilities) ? initialize.capabilities : {};
  const session = isObject(capabilities.session) ? capabilities.session : {};
  const params = {
    sessionId: agentSessionId,
    cwd,
    mcpServers,
    ...(isObject(session.additionalDirectories) ? { additionalDirectories } : {}),
    ...(Object.keys(metadata).length > 0 ? { _meta: { [META_KEY]: metadata } } : {}),
  };
  let state: Heard | undefined;
  const reply = await new Promise<AgentReply | 'late'>((resolve) => {
    const timer = setTimeout(resolve, silenceMs, 'late' as const);
    connection.listen({
      onMessage: (message, raw) => {
        timer.refresh();
        const update = message.kind === 'notification' && isObject(message.params) ? message.params.update : undefined;
        if (isObject(update) && update.sessionUpdate === 'state_update') state = { message, raw: Buffer.from(raw) };
      },
      onExit: () => {},
    });
    const raw = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'session/resume', params });
    connection.request(Buffer.from(raw), (answer) => {
      clearTimeout(timer);
      connection.hold();
      resolve(answer);
    });
  });
  if (reply === 'late') {
    throw new ReeveError('agent_timeout', {
      message: `agent "${agentName}" did not answer session/resume and said nothing for ${silenceMs} ms (timeouts.sessionNewMs)`,
      data: { agent: agentName, stderr: connection.process.stderrTail() },
    });
  }
  if (reply.kind === 'gone') throw crashError(agentName, connection, reply.exit, true);
  if (reply.kind === 'error') {
    throw new ReeveError(
      reply.error.code === AUTHENTICATION_REQUIRED ? 'authentication_required' : 'agent_start_failed',
      {
        message: `agent "${agentName}" did not take the session back: ${reply.error.message}`,
        data: { agent: agentName, error: reply.error },
      },
    );
  }
  const setup = isObject(reply.result) ? reply.result : {};
  return { by: 'resume', agentSessionId, setup, failures: [], heard: state ? [state] : [] };
}

/** ACP v2, error codes. */
const AUTHENTICATION_REQUIRED = -32000;
