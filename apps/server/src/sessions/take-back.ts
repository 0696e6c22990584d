import type { ReeveError } from '@reeve/protocol';
import { type LaunchedAgent, stopAgent } from '../agents/agent-launch.ts';
import { type RestoredAgent, type RestoredBy, restoreAgent } from './agent-restore.ts';
import { boundaryFact } from './audited-session.ts';
import { chooseAgain } from './choose-again.ts';
import { hasBegun } from './has-begun.ts';
import { launchInPlace } from './launch-in-place.ts';
import { placeAgain } from './require-place.ts';
import { resumeAgent } from './resume-agent.ts';
import type { SessionAgentOptions, StartWith } from './session-agent-options.ts';
import type { SessionPlace } from './session-place.ts';

/** What the agent of a session learns while a process takes its conversation back. */
export interface TakingBack {
  readonly startWith: StartWith;
  /** A process is about to start. */
  readonly onStart: () => void;
  /** The process that is taking the session back; undefined when none is any more. */
  readonly onLaunched: (launched: LaunchedAgent | undefined) => void;
  readonly retellNext: () => Promise<void>;
  readonly bind: (launched: LaunchedAgent, restored: RestoredAgent, place: SessionPlace) => void;
  /** What is thrown when the session ends meanwhile. */
  readonly closed: () => ReeveError;
}

/** Starts a process for a conversation that had one: in its place, under its governance, with what was chosen. @returns how it remembers */
export async function takeBack(
  options: SessionAgentOptions,
  { startWith, onStart, onLaunched, retellNext, bind, closed }: TakingBack,
): Promise<RestoredBy> {
  const { services, stream, records, boundary, isEnding } = options;
  const { agents, limits } = services;
  const { agent, protocolVersion, agentSessionId, agentVersion, setup: wanted } = records.record;
  const { by, mcpServers, profile } = startWith;
  const silenceMs = limits.sessionNewMs;
  const { entry, version } = await agents.versions.entryAgain(agents.entry(agent), agentVersion, profile);
  const known = records.record.place;
  const place = await placeAgain(services, records.record);
  const governance = await boundary.govern(mcpServers, place, entry);
  const start = (): Promise<LaunchedAgent> => {
    onStart();
    boundary.agentBegins();
    return launchInPlace(services, { entry, profile, place, governance, session: records.record.sessionId });
  };
  let launched = await start();
  onLaunched(launched);
  const relaunch = async (): Promise<LaunchedAgent> => {
    if (isEnding()) throw closed();
    await stopAgent(launched.connection, agents.limits);
    launched = await start();
    onLaunched(launched);
    if (isEnding()) throw closed();
    return launched;
  };
  try {
    if (place !== known && records.record.place === known) {
      records.update({ place });
      services.audit.note(boundaryFact(records.record, by));
    }
    const { metadata } = records;
    const { cwd, additionalDirectories } = place;
    const servers = governance.forAgent(protocolVersion ?? 1);
    const request = {
      agentName: agent,
      agentSessionId,
      cwd,
      additionalDirectories,
      mcpServers: servers,
      silenceMs,
      metadata,
    };
    const begun = await hasBegun(services.log, records.record.sessionId);
    const ladder = { begun, restoreMs: limits.restoreMs, relaunch };
    const restored =
      protocolVersion === 2 ? await resumeAgent(launched, request) : await restoreAgent(launched, request, ladder);
    if (restored.by === 'transcript' || records.record.untold) await retellNext();
    if (isEnding()) throw closed();
    if (version) records.update({ agentVersion: version });
    stream.note('agent_restored', { by: restored.by, failures: restored.failures });
    bind(launched, restored, place);
    await chooseAgain(launched.connection, restored, wanted, options);
    return restored.by;
  } catch (error) {
    await launched.connection.process.stop();
    throw isEnding() ? closed() : error;
  } finally {
    onLaunched(undefined);
  }
}
