import { isObject, type JsonObject, META_KEY, ourMeta } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import { type ClientIntroduction, EXTENSIONS, readIntroduction } from './initialize.ts';
import { isImplementation } from './wanted-version.ts';

/** A fork needs what v2 has no word for: it is a method of ours for v1 sessions only. */
const EXTENSIONS_V2 = { ...EXTENSIONS, sessionFork: false } as const;

/** What a client said of itself in the `initialize` of v2, kept by the names of v1. */
export function readIntroductionV2({ info, capabilities, _meta }: JsonObject): ClientIntroduction {
  const known = isImplementation(info) ? { clientInfo: info } : {};
  const introduction = readIntroduction({ ...known, clientCapabilities: capabilities, _meta });
  return {
    ...introduction,
    profile: { ...introduction.profile, protocolVersion: 2 },
    // Everybody is told of a turn's end by `state_update`.
    features: { ...introduction.features, turnEnded: false },
  };
}

/**
 * What a client is answered in v2: the agent's own result, with what Reeve adds (it keeps the sessions) and without what it does not
 * serve. Source: ACP v2, `InitializeResponse`.
 */
export function initializeResultV2(
  agentName: string,
  agentResult: JsonObject,
  profile: ClientProfile,
  version: string,
): JsonObject {
  const capabilities = isObject(agentResult.capabilities) ? agentResult.capabilities : {};
  const session = isObject(capabilities.session) ? { session: { ...capabilities.session, delete: {} } } : {};
  const meta = isObject(capabilities._meta) ? capabilities._meta : {};
  const ours = { ...ourMeta(capabilities), extensions: EXTENSIONS_V2, agent: agentName, reeve: version };
  const { authMethods, ...result } = agentResult;
  return {
    ...result,
    protocolVersion: 2,
    info: isImplementation(agentResult.info) ? agentResult.info : { name: agentName, version: 'unknown' },
    capabilities: { ...capabilities, ...session, _meta: { ...meta, [META_KEY]: ours } },
    ...(Array.isArray(authMethods) ? { authMethods: methodsFor(authMethods, profile) } : {}),
  };
}

/** What the capabilities of a v2 agent say, by the names of v1: what the check of a session's setup looks at. */
export function setupCapabilities(result: JsonObject): JsonObject {
  const capabilities = isObject(result.capabilities) ? result.capabilities : {};
  const session = isObject(capabilities.session) ? capabilities.session : {};
  const mcp = isObject(session.mcp) ? session.mcp : {};
  const { additionalDirectories } = session;
  return {
    mcpCapabilities: Object.fromEntries(Object.entries(mcp).map(([type, offered]) => [type, isObject(offered)])),
    sessionCapabilities: isObject(additionalDirectories) ? { additionalDirectories } : {},
  };
}

/** Each method once; terminal ones only for clients that can run them (ACP v2, `AuthMethodTerminal`). */
function methodsFor(offered: readonly unknown[], profile: ClientProfile): readonly JsonObject[] {
  const { auth } = profile.clientCapabilities;
  const terminal = isObject(auth) && isObject(auth.terminal);
  const seen = new Set<unknown>();
  return offered.filter(isObject).filter((method) => {
    const fits = (method.type !== 'terminal' || terminal) && !seen.has(method.methodId);
    seen.add(method.methodId);
    return fits;
  });
}
