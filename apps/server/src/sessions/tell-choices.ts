import {
  type ConnectionId,
  EXTENSION,
  encodeNotification,
  isObject,
  type JsonObject,
  META_KEY,
  ourMeta,
  parseMessage,
  type SessionId,
  setMember,
} from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { SessionEvent } from '../events/event-chunk.ts';
import { knowsBooleans, knowsOptions, simpleOptions, translatedOptions } from './config-options.ts';
import { isMomentary } from './foreground.ts';
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

/** What an update that varies is to clients of each kind. Made once per event, for any number of clients. */
interface Versions {
  /** Only for clients that know config options. */
  readonly translated: boolean;
  /** Tells how things stood then, and is no history. */
  readonly momentary: boolean;
  /** Not for clients that say they know no boundaries. */
  readonly ofBoundary: boolean;
  /** Without boolean options; the same bytes where there are none. */
  readonly simple: Buffer;
}

const versions = new WeakMap<SessionEvent, Versions>();

/**
 * An update that varies as one client is shown it: the same bytes where it may see all; undefined where it is not for it. `past`: shown as
 * history.
 */
export function shownUpdate(event: SessionEvent, client: ClientProfile, past = false): Buffer | undefined {
  const { translated, momentary, ofBoundary, simple } = versionsOf(event);
  if (ofBoundary && ourMeta(client.clientCapabilities).boundary === false) return undefined;
  if (past && momentary) return undefined;
  if (translated && !knowsOptions(client)) return undefined;
  return knowsBooleans(client) ? event.message : simple;
}

function versionsOf(event: SessionEvent): Versions {
  let made = versions.get(event);
  if (!made) {
    const { source, message } = event;
    const parsed = parseMessage(message.toString());
    const params = parsed.kind === 'notification' && isObject(parsed.params) ? parsed.params : {};
    const options = isObject(params.update) ? params.update.configOptions : undefined;
    made = {
      translated: source === 'reeve' && ourMeta(params).translated === true,
      momentary: isMomentary(params.update),
      ofBoundary: source === 'reeve' && parsed.kind === 'notification' && parsed.method === EXTENSION.boundaryUpdate,
      simple: Array.isArray(options) ? withoutBooleans(message, options) : message,
    };
    versions.set(event, made);
  }
  return made;
}

function withoutBooleans(message: Buffer, options: readonly unknown[]): Buffer {
  const simple = simpleOptions(options);
  return simple === options
    ? message
    : setMember(message, ['params', 'update', 'configOptions'], JSON.stringify(simple));
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
