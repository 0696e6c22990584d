import { encodeRequest, isObject, type JsonObject, META_KEY, ReeveError, type SessionMetadata } from '@reeve/protocol';
import { crashError, type LaunchedAgent } from '../agents/agent-launch.ts';
import { callListening } from '../agents/call-agent.ts';
import type { Heard } from './agent-link.ts';
import type { SetupState } from './setup-state.ts';

/** How a session got its agent back (in the log, and in `_meta` of the result of load and resume). */
export type RestoredBy = 'resume' | 'load' | 'transcript';

export interface RestoreRequest {
  readonly agentName: string;
  readonly agentSessionId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly unknown[];
  /** Told to the agent as `session/new` told it: some of it may be a hint that only the process knows. */
  readonly metadata: SessionMetadata;
  /** How long the agent may be silent before it has answered, where there is no other way left. */
  readonly silenceMs: number;
}

/** What the ladder of v1 stands on. */
export interface RestoreLadder {
  /** Something was said in the session; otherwise there is nothing to resume, and some agents never answer that. */
  readonly begun: boolean;
  /** How long the agent may be silent before the next way is tried. */
  readonly restoreMs: number;
  /** Ends the process that was silent, and starts another. */
  readonly relaunch: () => Promise<LaunchedAgent>;
}

export interface RestoredAgent {
  readonly by: RestoredBy;
  readonly agentSessionId: string;
  /** The agent's result: modes, config options and what else it gives. */
  readonly setup: SetupState;
  /** What it said of how things stand, to be passed on. */
  readonly heard?: readonly Heard[];
  /** Errors of the rungs that were tried before. */
  readonly failures: readonly { readonly rung: RestoredBy; readonly error: string }[];
}

/**
 * Brings a conversation into a fresh agent process: by `session/resume`, else by `session/load` with its replay swallowed (our log is
 * the history), else as a new agent session that is told the transcript. After a way in which the agent fell silent or died, the next is
 * taken in another process. When it resolves, the connection holds what the agent sends next until somebody listens.
 */
export async function restoreAgent(
  launched: LaunchedAgent,
  request: RestoreRequest,
  { begun, restoreMs, relaunch }: RestoreLadder,
): Promise<RestoredAgent> {
  const { initialize } = launched;
  let { connection } = launched;
  const { agentName, agentSessionId, cwd, mcpServers, metadata } = request;
  const capabilities = isObject(initialize.agentCapabilities) ? initialize.agentCapabilities : {};
  const sessionCapabilities = isObject(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {};
  const directories = isObject(sessionCapabilities.additionalDirectories)
    ? { additionalDirectories: request.additionalDirectories }
    : {};
  const hints = Object.keys(metadata).length > 0 ? { _meta: { [META_KEY]: metadata } } : {};
  const place = { cwd, mcpServers, ...directories, ...hints };
  const failures: { rung: RestoredBy; error: string }[] = [];

  const rungs: { rung: RestoredBy; offered: boolean; method: string; params: JsonObject }[] = [
    {
      rung: 'resume',
      offered: begun && isObject(sessionCapabilities.resume),
      method: 'session/resume',
      params: { sessionId: agentSessionId, ...place },
    },
    {
      rung: 'load',
      offered: capabilities.loadSession === true,
      method: 'session/load',
      params: { sessionId: agentSessionId, ...place },
    },
    {
      rung: 'transcript',
      offered: true,
      method: 'session/new',
      params: place,
    },
  ];
  for (const { rung, offered, method, params } of rungs) {
    if (!offered) continue;
    const last = rung === 'transcript';
    const patienceMs = last ? request.silenceMs : Math.min(restoreMs, request.silenceMs);
    // What it says until the response is its replay, which the log has already.
    const reply = await callListening(connection, Buffer.from(encodeRequest(0, method, params)), patienceMs);
    if (!last && (reply === 'late' || reply.kind === 'gone')) {
      const silent = `it did not answer ${method} and said nothing for ${patienceMs} ms (timeouts.restoreMs)`;
      failures.push({
        rung,
        error: reply === 'late' ? silent : crashError(agentName, connection, reply.exit, true).message,
      });
      ({ connection } = await relaunch());
      continue;
    }
    if (reply === 'late') {
      throw new ReeveError('agent_timeout', {
        message: `agent "${agentName}" did not answer ${method} and said nothing for ${patienceMs} ms (timeouts.sessionNewMs)`,
        data: { agent: agentName, stderr: connection.process.stderrTail() },
      });
    }
    if (reply.kind === 'gone') throw crashError(agentName, connection, reply.exit, true);
    if (reply.kind === 'error') {
      failures.push({ rung, error: reply.error.message });
      if (last) throw refused(agentName, reply.error);
      continue;
    }
    const result = isObject(reply.result) ? reply.result : {};
    const id = last ? result.sessionId : agentSessionId;
    if (typeof id !== 'string') throw refused(agentName, { code: 0, message: 'session/new gave no sessionId' });
    return { by: rung, agentSessionId: id, setup: result, failures };
  }
  throw refused(agentName, { code: 0, message: 'it can neither resume, load nor create a session' });
}

function refused(agentName: string, error: { readonly code: number; readonly message: string }): ReeveError {
  const authentication = error.code === -32000;
  return new ReeveError(authentication ? 'authentication_required' : 'agent_start_failed', {
    message: `agent "${agentName}" did not take the session back: ${error.message}`,
    data: { agent: agentName, error },
  });
}
