import {
  type ConnectionId,
  encodeNotification,
  isObject,
  type JsonObject,
  META_KEY,
  type SessionId,
} from '@reeve/protocol';
import { translatedOptions } from './config-options.ts';
import type { SessionStream } from './session-stream.ts';
import type { SetupState } from './setup-state.ts';

/** Who changed the setup: the client that asked for it knows from its answer, and is not told again. */
export interface ChangedBy {
  readonly connection: ConnectionId;
  /** What its answer tells; absent where it is told nothing. */
  readonly method?: string;
}

/** Tells every client, those that come later too, what of modes and config options differs. */
export function tellSetup(
  stream: SessionStream,
  sessionId: SessionId,
  before: SetupState,
  after: SetupState,
  by?: ChangedBy,
): void {
  if (before === after) return;
  const modeId = isObject(after.modes) ? after.modes.currentModeId : undefined;
  const told = (method: string): { connection?: ConnectionId } =>
    knows(by, method) ? { connection: by.connection } : {};
  if (modeId !== undefined && modeId !== (isObject(before.modes) ? before.modes.currentModeId : undefined)) {
    const message = updateOf(sessionId, { sessionUpdate: 'current_mode_update', currentModeId: modeId });
    stream.append({ source: 'reeve', kind: 'update', message, ...told('session/set_mode') });
  }
  if (Array.isArray(after.configOptions) && differs(before.configOptions, after.configOptions)) {
    const message = updateOf(sessionId, {
      sessionUpdate: 'config_option_update',
      configOptions: after.configOptions,
    });
    stream.append({ source: 'reeve', kind: 'update', varies: true, message, ...told('session/set_config_option') });
    tellTranslated(stream, sessionId, {}, after, by);
  } else tellTranslated(stream, sessionId, before, after, by);
}

/** Tells the clients that know config options of those which stand for the agent's models and modes, where they differ. */
export function tellTranslated(
  stream: SessionStream,
  sessionId: SessionId,
  before: SetupState,
  after: SetupState,
  by?: ChangedBy,
): void {
  const translated = translatedOptions(after).map(({ option }) => option);
  if (translated.length === 0 || !differs(translatedOptions(before), translatedOptions(after))) return;
  const own: readonly unknown[] = Array.isArray(after.configOptions) ? after.configOptions : [];
  const update = { sessionUpdate: 'config_option_update', configOptions: [...own, ...translated] };
  const message = updateOf(sessionId, update, { translated: true });
  const to = knows(by, 'session/set_config_option') ? { connection: by.connection } : {};
  stream.append({ source: 'reeve', kind: 'update', varies: true, message, ...to });
}

function knows(by: ChangedBy | undefined, method: string): by is ChangedBy {
  return by !== undefined && (by.method === undefined || by.method === method);
}

function updateOf(sessionId: SessionId, update: JsonObject, ours?: JsonObject): Buffer {
  const meta = ours ? { _meta: { [META_KEY]: ours } } : {};
  return Buffer.from(encodeNotification('session/update', { sessionId, update, ...meta }));
}

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
