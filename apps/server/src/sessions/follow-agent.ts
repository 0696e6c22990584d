import type { ConnectionId, JsonObject } from '@reeve/protocol';
import type { SessionAgentOptions } from './session-agent-options.ts';
import { tellSetup, tellTranslated } from './tell-choices.ts';

/**
 * Takes over what an update of the agent says of the session itself, and tells what follows from it for clients that see it otherwise.
 * `choosing`: the client whose choice the agent is busy with.
 */
export function followAgent(
  { stream, records, foreground }: Pick<SessionAgentOptions, 'stream' | 'records' | 'foreground'>,
  update: JsonObject,
  choosing: ConnectionId | undefined,
): void {
  if (update.sessionUpdate === 'state_update') return foreground.follow(update);
  const before = records.record.setup;
  records.follow(update);
  const { sessionId, setup } = records.record;
  if (choosing) {
    // The others are told what the agent leaves to the answer: its modes and an option may be one switch.
    const told = update.sessionUpdate === 'current_mode_update' ? ['modes'] : ['configOptions'];
    const asTold = Object.fromEntries(told.map((name) => [name, setup[name]]));
    tellSetup(stream, sessionId, { ...before, ...asTold }, setup, { connection: choosing });
    if (update.sessionUpdate !== 'config_option_update') return;
  }
  // Its own list of options lacks those that stand for its models and modes.
  tellTranslated(stream, sessionId, update.sessionUpdate === 'config_option_update' ? {} : before, setup);
}
