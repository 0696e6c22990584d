import type { AgentConnection } from '../agents/agent-connection.ts';
import { type AppliedChoices, applyChoices, callWithin, lostBecause } from './apply-choices.ts';
import { type SetupCall, setupAfterCommand, setupCalls, setupFromResult } from './follow-setup.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionStream } from './session-stream.ts';
import type { SetupState } from './setup-state.ts';
import { tellSetup } from './tell-choices.ts';

/** An agent's conversation that has just begun. */
export interface Opened {
  readonly agentSessionId: string;
  /** What the agent said of it: modes, config options and what else it gives. */
  readonly setup: SetupState;
}

/** The session that the conversation belongs to. */
export interface ChoosingSession {
  readonly services: SessionServices;
  readonly stream: SessionStream;
  readonly records: RecordKeeper;
}

/**
 * Sets again what was chosen before (`wanted`), then what was chosen while there was no process: gives what became of that. What
 * cannot be set is a note in the log. Who looks on is told.
 */
export async function chooseAgain(
  connection: AgentConnection,
  opened: Opened,
  wanted: SetupState,
  { services, stream, records }: ChoosingSession,
): Promise<AppliedChoices> {
  const { sessionId, awaited = [] } = records.record;
  const call = callWithin(connection, opened.agentSessionId, services.limits.sessionNewMs);
  records.setup = setupFromResult(wanted, opened.setup);
  let fresh = opened.setup;
  const tried = new Set<string>();
  const next = (): SetupCall | undefined => setupCalls(wanted, fresh).find((it) => !tried.has(JSON.stringify(it)));
  for (let it = next(); it; it = next()) {
    tried.add(JSON.stringify(it));
    const { method, params } = it;
    const reply = await call(method, params);
    if (reply !== 'late' && reply.kind === 'result') {
      fresh = setupAfterCommand(fresh, method, params, reply.result);
      records.setup = setupAfterCommand(records.setup, method, params, reply.result);
    } else stream.note('choice_lost', { method, params, error: lostBecause(reply) });
  }
  let applied: AppliedChoices = {};
  if (awaited.length > 0) {
    const chosen = Object.fromEntries(awaited.map((choice) => [choice, records.metadata[choice]]));
    applied = await applyChoices(chosen, records, call);
    stream.note('choices_applied', { ...applied });
    records.update({ awaited: [] });
  }
  tellSetup(stream, sessionId, wanted, records.record.setup);
  return applied;
}
