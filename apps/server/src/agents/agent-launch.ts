import { isObject, type JsonObject, ReeveError } from '@reeve/protocol';
import {
  type EgressDecision,
  EgressWatch,
  type ProcessExit,
  type ProcessHolder,
  type StartFailure,
} from '@reeve/sandbox';
import { type AcpVersion, type ClientProfile, initializeParams, unsupportedVersion, versionOf } from './acp-version.ts';
import { AgentConnection, type AgentReply } from './agent-connection.ts';
import type { AgentEntry } from './agent-registry.ts';
import {
  type AgentConfinement,
  type AgentEnforcement,
  type AgentPlace,
  type AgentSandbox,
  agentEnforcement,
} from './agent-sandbox.ts';

/** An agent process that has answered `initialize`. */
export interface LaunchedAgent {
  readonly connection: AgentConnection;
  /** The agent's own result, as it came. */
  readonly initialize: JsonObject;
  readonly confinement: AgentConfinement;
  /** What holds it there, as a fact. */
  readonly enforcement: AgentEnforcement;
  /** What it is refused of the network. */
  readonly egress: EgressWatch;
}

export interface LaunchLimits {
  readonly maxLineBytes: number;
  readonly stderrTailBytes: number;
  readonly initializeMs: number;
  readonly stopGraceMs: number;
  readonly stopKillMs: number;
}

export interface LaunchOptions {
  readonly holder: ProcessHolder;
  readonly sandbox: AgentSandbox;
  readonly limits: LaunchLimits;
  /** Agents are told that files and terminals are served, whatever the client can do: Reeve does it. */
  readonly offersServices: boolean;
  readonly onNoise: (agent: string, what: string) => void;
  /** An agent that was to serve no session was not started, or did not come up. */
  readonly onRefused?: (agent: string, error: unknown) => void;
  /** What a process is refused of the network, for the diagnostic log; not more often than `EgressWatch` lets it. */
  readonly onEgress?: (agent: string, decision: EgressDecision) => void;
}

/**
 * Starts an agent in its place, inside its boundary, and initializes it in the version of the client. Throws a ReeveError that says what to do:
 * `agent_start_failed` when there is no process, also with exit and stderr when it ended or refused; `agent_timeout` after the deadline;
 * `unsupported_protocol_version` when it speaks v1 and the client v2.
 * Nothing is left running after an error.
 */
export async function launchAgent(
  entry: AgentEntry,
  place: AgentPlace,
  profile: ClientProfile,
  options: LaunchOptions,
): Promise<LaunchedAgent> {
  const { holder, limits, sandbox } = options;
  const confinement = await sandbox.confine(entry, place);
  const { command, args, env, require, profile: boundary } = confinement;
  const egress = new EgressWatch((decision) => options.onEgress?.(entry.name, decision));
  const started = await holder.start(
    { command, args, env, cwd: place.cwd, require, ...(boundary === undefined ? {} : { profile: boundary }) },
    { stderrTailBytes: limits.stderrTailBytes, onEgress: (decision) => egress.see(decision) },
  );
  if (started.kind === 'failed') throw notStarted(entry, started);
  const connection = new AgentConnection({
    process: started.process,
    maxLineBytes: limits.maxLineBytes,
    onNoise: (what) => options.onNoise(entry.name, what),
  });
  try {
    const params = initializeParams(profile, options.offersServices);
    const reply = await withDeadline(connection.call('initialize', params), limits.initializeMs);
    const initialize = readInitialize(entry, connection, reply, versionOf(profile), limits);
    const enforcement = agentEnforcement(started.process.enforcement, confinement);
    return { connection, initialize, confinement, enforcement, egress };
  } catch (error) {
    await stopAgent(connection, limits);
    throw error;
  }
}

function notStarted({ name }: AgentEntry, { reason, message }: StartFailure): ReeveError {
  const choice = ' Or let agents run unconfined where no sandbox works: set "sandbox.require" to "declared".';
  return new ReeveError('agent_start_failed', {
    message: `agent "${name}" could not be started: ${message}${reason === 'no-sandbox' ? choice : ''}`,
    next: NEXT[reason],
    data: { agent: name, reason },
  });
}

/** Where the agent is installed and runs by itself, and something else is wrong, which the message names. */
const NEXT: { readonly [Reason in StartFailure['reason']]?: string } = {
  'no-sandbox': 'Do what the message says, or have the operator do it; "reeve doctor" says what works on that machine.',
  'bad-cwd': 'Mend the working directory as the message says, then try again.',
  'bad-root': 'Mend the root as the message says, then try again.',
  'not-visible': 'Show the agent the file as the message says, then try again.',
  refused: 'Do what the message says, then try again.',
};

/** Why an agent was not started, in a word: never the message, which names directories. */
export function refusalReason(error: unknown): string {
  if (!(error instanceof ReeveError)) return 'internal_error';
  const { reason } = isObject(error.data) ? error.data : {};
  return typeof reason === 'string' ? reason : error.name;
}

export function stopAgent(connection: AgentConnection, limits: LaunchLimits): Promise<ProcessExit> {
  return connection.process.stop({ graceMs: limits.stopGraceMs, killAfterMs: limits.stopKillMs });
}

/** The error for whoever waited on a process that has ended; `early`: before it had a conversation to take up again. */
export function crashError(agent: string, connection: AgentConnection, exit: ProcessExit, early = false): ReeveError {
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
  const stderr = lastLines(connection.process.stderrTail(), 20);
  return new ReeveError(early ? 'agent_start_failed' : 'agent_crashed', {
    message: `agent "${agent}" ${how}${stderr ? `; it last said: ${lastLines(stderr, 1)}` : ''}`,
    data: { agent, exitCode: exit.code, signal: exit.signal, stderr },
  });
}

function readInitialize(
  entry: AgentEntry,
  connection: AgentConnection,
  reply: AgentReply | 'late',
  version: AcpVersion,
  limits: LaunchLimits,
): JsonObject {
  if (reply === 'late') {
    throw new ReeveError('agent_timeout', {
      message: `agent "${entry.name}" did not answer initialize within ${limits.initializeMs} ms (timeouts.initializeMs)`,
      data: { agent: entry.name, stderr: lastLines(connection.process.stderrTail(), 20) },
    });
  }
  if (reply.kind === 'gone') throw crashError(entry.name, connection, reply.exit, true);
  if (reply.kind === 'error') {
    if (version === 2 && reply.error.code === UNSUPPORTED_VERSION) throw speaksOnlyV1(entry);
    throw new ReeveError('agent_start_failed', {
      message: `agent "${entry.name}" refused initialize: ${reply.error.message}`,
      data: { agent: entry.name, error: reply.error },
    });
  }
  const { result } = reply;
  if (isObject(result) && result.protocolVersion === version) return result;
  // ACP v1, initialization: an agent that does not know the version answers with its own.
  if (version === 2 && isObject(result) && result.protocolVersion === 1) throw speaksOnlyV1(entry);
  throw new ReeveError('agent_start_failed', {
    message: `agent "${entry.name}" does not speak version ${version} of the Agent Client Protocol: "protocolVersion" of its initialize result is ${JSON.stringify(isObject(result) ? result.protocolVersion : undefined)}`,
    data: { agent: entry.name },
  });
}

/** ACP v2, error codes. */
const UNSUPPORTED_VERSION = -32022;

function speaksOnlyV1({ name }: AgentEntry): ReeveError {
  return unsupportedVersion(2, [1], `agent "${name}" speaks version 1 of the Agent Client Protocol`);
}

async function withDeadline(reply: Promise<AgentReply>, ms: number): Promise<AgentReply | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
  }
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
