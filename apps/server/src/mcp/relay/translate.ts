import { type JsonObject, memberSpan, removeMember, setMember } from '@reeve/protocol';
import type { McpEra } from '../server-status.ts';
import { CACHEABLE, META, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import type { Exchange } from './exchange.ts';

const MAX_REMOVALS = 16;
const ENVELOPE = [META.version, META.clientInfo, META.clientCapabilities, META.logLevel];

/** The agent's request as the server is sent it: bytes that nobody has to change stay as they came. */
export function requestForServer(exchange: Exchange, id: number, era: McpEra): Buffer {
  let raw = setMember(exchange.raw, ['id'], String(id));
  if (exchange.progressToken !== undefined) raw = setMember(raw, ['params', '_meta', 'progressToken'], String(id));
  raw = withoutMembers(raw, ['params', '_meta'], exchange.withoutMeta);
  if (era === 'stateless') return withRound(withEnvelope(raw, exchange), exchange);
  if (exchange.era === 'initialize') return raw;
  for (const key of ENVELOPE) raw = removeMember(raw, ['params', '_meta', key]);
  return raw;
}

/** @param path of the object that the members are of */
export function withoutMembers(raw: Buffer, path: readonly string[], members: readonly string[] = []): Buffer {
  // Each is looked for from the beginning; nobody honest has many.
  const span = members.length > MAX_REMOVALS ? memberSpan(raw, path) : undefined;
  if (span === undefined) return members.reduce((left, member) => removeMember(left, [...path, member]), raw);
  const gone = new Set(members);
  const whole: JsonObject = JSON.parse(raw.toString('utf8', span.start, span.end));
  const kept = Object.entries(whole).filter(([member]) => !gone.has(member));
  return setMember(raw, path, JSON.stringify(Object.fromEntries(kept)));
}

function withRound(raw: Buffer, { nextRound }: Exchange): Buffer {
  if (nextRound === undefined) return raw;
  const { inputResponses, requestState } = nextRound;
  const answered = setMember(raw, ['params', 'inputResponses'], JSON.stringify(inputResponses));
  return requestState === undefined
    ? removeMember(answered, ['params', 'requestState'])
    : setMember(answered, ['params', 'requestState'], JSON.stringify(requestState));
}

function withEnvelope(raw: Buffer, { era, peer }: Exchange): Buffer {
  const set = (json: Buffer, key: string, value: unknown) =>
    setMember(json, ['params', '_meta', key], JSON.stringify(value));
  const withRoots = set(raw, META.clientCapabilities, { ...peer.capabilities, roots: {} });
  return era === 'stateless'
    ? withRoots
    : set(envelopeOf(withRoots, peer.logLevel), META.clientInfo, peer.clientInfo ?? {});
}

function envelopeOf(raw: Buffer, logLevel: string | undefined): Buffer {
  const versioned = setMember(raw, ['params', '_meta', META.version], JSON.stringify(STATELESS_VERSION));
  return logLevel === undefined
    ? versioned
    : setMember(versioned, ['params', '_meta', META.logLevel], JSON.stringify(logLevel));
}

/** `_meta` of a request of our own to a server of the stateless era. */
export function ownEnvelope(clientInfo: unknown, capabilities: JsonObject): JsonObject {
  return {
    [META.version]: STATELESS_VERSION,
    [META.clientInfo]: clientInfo,
    [META.clientCapabilities]: { ...capabilities, roots: {} },
  };
}

/** The server's answer as the agent is sent it. */
export function answerForAgent(raw: Buffer, exchange: Exchange, era: McpEra): Buffer {
  const own = setMember(raw, ['id'], JSON.stringify(exchange.id));
  if (exchange.era === era || memberSpan(own, ['result']) === undefined) return own;
  if (exchange.era === 'initialize') return removeMember(own, ['result', 'resultType']);
  const typed = setMember(own, ['result', 'resultType'], '"complete"');
  if (!CACHEABLE.has(exchange.method)) return typed;
  return setMember(setMember(typed, ['result', 'ttlMs'], '0'), ['result', 'cacheScope'], '"private"');
}
