import { isObject, type JsonObject } from '@reeve/protocol';
import type { Hello, ServerFacts } from '../upstream/server-facts.ts';
import { INITIALIZE_VERSIONS, META, STATELESS_VERSION } from '../wire/mcp-keys.ts';
import { metaOf } from '../wire/read-meta.ts';

/** What an agent is told before its server is open: everything that the server may turn out to have, empty for now. */
const PROVISIONAL: JsonObject = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
};

/** Lists change when a server is started again or admitted late, whatever the server says of itself. */
const LISTS = ['tools', 'resources', 'prompts'] as const;

/** Reads what an agent says of itself in `initialize`; roots are ours and left out. */
export function readHello(params: unknown): Hello {
  const { protocolVersion, capabilities, clientInfo, ...rest } = isObject(params) ? params : {};
  return {
    era: 'initialize',
    version: typeof protocolVersion === 'string' ? protocolVersion : (INITIALIZE_VERSIONS[0] as string),
    clientInfo,
    capabilities: withoutRoots(capabilities),
    logLevel: undefined,
    rest,
  };
}

/** The same from a request of the stateless era. */
export function readStatelessHello(params: unknown): Hello {
  const meta = metaOf(params);
  const logLevel = meta[META.logLevel];
  return {
    era: 'stateless',
    version: STATELESS_VERSION,
    clientInfo: meta[META.clientInfo] ?? { name: 'unknown', version: '' },
    capabilities: withoutRoots(meta[META.clientCapabilities]),
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    rest: {},
  };
}

function withoutRoots(capabilities: unknown): JsonObject {
  const { roots: _, ...others } = isObject(capabilities) ? capabilities : {};
  return others;
}

/** The result of the agent's `initialize`. @param facts undefined while the server is not open */
export function initializeResult(wanted: string, name: string, facts: ServerFacts | undefined): JsonObject {
  const known = INITIALIZE_VERSIONS.includes(wanted) ? wanted : (INITIALIZE_VERSIONS[0] as string);
  if (facts === undefined) {
    return { protocolVersion: known, capabilities: PROVISIONAL, serverInfo: { name, version: '' } };
  }
  const capabilities = changing(facts.capabilities);
  if (facts.era === 'initialize') {
    // Another agent may have opened it with another version; they differ in what they add.
    const protocolVersion = facts.version <= wanted ? facts.version : known;
    return { ...facts.result, protocolVersion, capabilities };
  }
  const { supportedVersions: _, resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = facts.result;
  const serverInfo = isObject(facts.info) ? facts.info : { name, version: '' };
  // Log levels are asked for with each request there, and needed no capability of their own.
  return { ...rest, protocolVersion: known, capabilities, serverInfo };
}

/** The result of the agent's `server/discover`. */
export function discoverResult(name: string, facts: ServerFacts | undefined): JsonObject {
  const own = { resultType: 'complete', supportedVersions: [STATELESS_VERSION], ttlMs: 0, cacheScope: 'private' };
  if (facts === undefined) {
    return { ...own, capabilities: PROVISIONAL, _meta: { [META.serverInfo]: { name, version: '' } } };
  }
  const capabilities = changing(facts.capabilities);
  if (facts.era === 'stateless') return { ...facts.result, ...own, capabilities };
  const { protocolVersion: _, serverInfo, capabilities: _own, ...rest } = facts.result;
  const { tasks: _tasks, ...served } = capabilities;
  return { ...rest, ...own, capabilities: served, _meta: { ...metaOf(facts.result), [META.serverInfo]: serverInfo } };
}

function changing(capabilities: JsonObject): JsonObject {
  const changed = LISTS.filter((list) => isObject(capabilities[list])).map((list) => [
    list,
    { ...(capabilities[list] as JsonObject), listChanged: true },
  ]);
  return { ...capabilities, ...Object.fromEntries(changed) };
}
