import { EXTENSION, isObject, ourMeta, parseMessage, setMember } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { SessionEvent } from '../events/event-chunk.ts';
import { knowsBooleans, knowsOptions, simpleOptions } from './config-options.ts';
import { isMomentary } from './foreground.ts';

/** What an update that varies is to clients of each kind. Made once per event, for any number of clients. */
export interface Versions {
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
