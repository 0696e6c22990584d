import { isObject, type SessionMetadata } from '@reeve/protocol';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { Heard } from './agent-link.ts';
import { type AppliedChoices, applyChoices, callWithin, type SetupHolder } from './apply-choices.ts';
import { setupAfterUpdate } from './follow-setup.ts';
import type { SetupState } from './setup-state.ts';

export interface ChosenAtCreation {
  readonly applied: AppliedChoices;
  /** The setup that the new session is told with. */
  readonly setup: SetupState;
  /** What the agent said meanwhile, but for what the setup says: to be passed on when somebody looks on. */
  readonly heard: readonly Heard[];
}

/**
 * Brings the choices of `session/new` to an agent session that nobody sees yet. `setup`: as the agent gave it. An agent that says more
 * than `maxHeardBytes` meanwhile is ended.
 */
export async function chooseAtCreation(
  connection: AgentConnection,
  agentSessionId: string,
  metadata: SessionMetadata,
  setup: SetupState,
  { deadlineMs, maxHeardBytes }: { readonly deadlineMs: number; readonly maxHeardBytes: number },
): Promise<ChosenAtCreation> {
  const holder: SetupHolder = { setup };
  const heard: Heard[] = [];
  let heardBytes = 0;
  connection.listen({
    onMessage: (message, raw) => {
      const params = isObject(message.params) ? message.params : {};
      const update = message.kind === 'notification' && isObject(params.update) ? params.update : undefined;
      const told = update?.sessionUpdate === 'current_mode_update' || update?.sessionUpdate === 'config_option_update';
      if (update && told && params.sessionId === agentSessionId) holder.setup = setupAfterUpdate(holder.setup, update);
      else {
        heard.push({ message, raw: Buffer.from(raw) });
        heardBytes += raw.byteLength;
        if (heardBytes > maxHeardBytes) void connection.process.stop({ graceMs: 0 });
      }
    },
    onExit: () => {},
  });
  const applied = await applyChoices(metadata, holder, callWithin(connection, agentSessionId, deadlineMs));
  connection.hold();
  return { applied, setup: holder.setup, heard };
}
