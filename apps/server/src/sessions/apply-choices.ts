import { CHOICES, type Choice, type JsonObject, type SessionMetadata } from '@reeve/protocol';
import type { AgentConnection, AgentReply } from '../agents/agent-connection.ts';
import { type LadderStep, ladderOf, type Rung } from './choice-ladder.ts';
import { setupAfterCommand } from './follow-setup.ts';
import type { SetupState } from './setup-state.ts';

/** Longest error of an agent that is told on. */
const MAX_ERROR = 500;

/** What became of one choice; `_meta["sandboxagent.dev"].applied` holds one for each choice that was made. */
export interface Applied {
  /** `pending`: the session has no agent process now; the next one is told. */
  readonly rung: Rung | 'pending';
  readonly requested: string;
  /** The agent's own name of what was chosen. */
  readonly value?: string;
  readonly configId?: string;
  /** What the agent does offer, where it was only given a hint. */
  readonly available?: readonly string[];
  /** Why it was only given a hint though it offers the value. */
  readonly reason?: string;
  /** Rungs that were tried in vain. */
  readonly failures?: readonly { readonly rung: Rung; readonly error: string }[];
}

export type AppliedChoices = { readonly [choice in Choice]?: Applied };

/** Calls the agent; `late` when it did not answer in time. */
export type ChoiceCall = (method: string, params: JsonObject) => Promise<AgentReply | 'late'>;

/** Where the setup stands: the agent's updates may change it too while it is asked. */
export interface SetupHolder {
  setup: SetupState;
}

/** Calls the agent in its own session. After an answer that took longer than `deadlineMs` it is asked nothing more. */
export function callWithin(connection: AgentConnection, agentSessionId: string, deadlineMs: number): ChoiceCall {
  let silent = false;
  return async (method, params) => {
    if (silent) return 'late';
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, deadlineMs, 'late');
    });
    const reply = await Promise.race([connection.call(method, { sessionId: agentSessionId, ...params }), late]);
    clearTimeout(timer);
    silent = reply === 'late';
    return reply;
  };
}

/** Why the agent did not take what it was asked. */
export function lostBecause(reply: AgentReply | 'late'): string {
  if (reply === 'late') return 'no answer in time';
  if (reply.kind === 'error') return reply.error.message.slice(0, MAX_ERROR);
  return 'the agent process ended';
}

/**
 * Brings each choice of `metadata` to the agent by the first rung that takes it, in the order of `CHOICES`: a later one sees the setup
 * after the one before. Two choices never move one switch: the second is only a hint, and told why.
 */
export async function applyChoices(
  metadata: SessionMetadata,
  holder: SetupHolder,
  call: ChoiceCall,
): Promise<AppliedChoices> {
  const applied: { [choice in Choice]?: Applied } = {};
  const moved = new Map<string, { choice: Choice; value: string }>();
  for (const choice of CHOICES) {
    const requested = metadata[choice];
    if (requested === undefined) continue;
    const { steps, available } = ladderOf(choice, requested, holder.setup);
    const failures: { rung: Rung; error: string }[] = [];
    let outcome: Applied = { rung: 'hint', requested, available };
    for (const step of steps) {
      const before = moved.get(step.knob);
      if (before && before.value !== step.value) {
        const reason = `${before.choice} has set the same to ${JSON.stringify(before.value)}`;
        outcome = { rung: 'hint', requested, available, reason };
        break;
      }
      const error = step.done ? undefined : await take(step, holder, call);
      if (error !== undefined) {
        failures.push({ rung: step.rung, error });
        continue;
      }
      moved.set(step.knob, { choice, value: step.value });
      const { configId } = step.params;
      outcome = {
        rung: step.rung,
        requested,
        value: step.value,
        ...(typeof configId === 'string' ? { configId } : {}),
      };
      break;
    }
    applied[choice] = failures.length > 0 ? { ...outcome, failures } : outcome;
  }
  return applied;
}

/** The error, or undefined when the agent took it. */
async function take(step: LadderStep, holder: SetupHolder, call: ChoiceCall): Promise<string | undefined> {
  const reply = await call(step.method, step.params);
  if (reply === 'late' || reply.kind !== 'result') return lostBecause(reply);
  holder.setup = setupAfterCommand(holder.setup, step.method, step.params, reply.result);
  return undefined;
}
