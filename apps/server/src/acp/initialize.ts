import { type ClaimedClient, isObject, type JsonObject, META_KEY, ourMeta } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { ClientFeatures } from '../sessions/client-port.ts';
import { claimedClient, clientLabel } from './client-label.ts';

/** What Reeve does of the session extension surface, by the names under which it is announced. */
export const EXTENSIONS = {
  sessionAttach: true,
  sessionDetach: true,
  sessionEventsPoll: true,
  sessionList: true,
  sessionMetadata: true,
  requestQuestion: true,
  sessionTerminate: true,
  sessionFork: true,
  boundary: true,
} as const;

/** What a client said of itself in `initialize`. */
export interface ClientIntroduction {
  readonly profile: ClientProfile;
  readonly features: ClientFeatures;
  readonly label: string;
  readonly claimed: ClaimedClient | undefined;
  /** `_meta["sandboxagent.dev"].agent` */
  readonly agent: string | undefined;
}

export function readIntroduction(params: JsonObject): ClientIntroduction {
  const clientCapabilities = isObject(params.clientCapabilities) ? params.clientCapabilities : {};
  const clientInfo = isObject(params.clientInfo) ? params.clientInfo : undefined;
  const wishes = ourMeta(clientCapabilities);
  const { agent } = ourMeta(params);
  return {
    profile: { clientCapabilities, ...(clientInfo ? { clientInfo } : {}) },
    features: {
      seq: wishes.seq === true,
      turnEnded: wishes.turnEnded === true,
      requestResolved: wishes.requestResolved === true,
    },
    label: clientLabel(clientInfo),
    claimed: claimedClient(clientInfo),
    agent: typeof agent === 'string' ? agent : undefined,
  };
}

/**
 * What a client is answered: the agent's own result, with what Reeve adds (it keeps the sessions) and without what it does not serve.
 * Sources: ACP, initialization; authentication methods (terminal ones only for clients that can run them).
 */
export function initializeResult(
  agentName: string,
  agentResult: JsonObject,
  profile: ClientProfile,
  version: string,
): JsonObject {
  const capabilities = isObject(agentResult.agentCapabilities) ? agentResult.agentCapabilities : {};
  const agentSession = isObject(capabilities.sessionCapabilities) ? capabilities.sessionCapabilities : {};
  const sessionCapabilities = { ...agentSession, list: {}, resume: {}, close: {}, delete: {}, fork: {} };
  const meta = isObject(capabilities._meta) ? capabilities._meta : {};
  const ours = { ...ourMeta(capabilities), extensions: EXTENSIONS, agent: agentName, reeve: version };
  return {
    ...agentResult,
    protocolVersion: 1,
    agentCapabilities: {
      ...capabilities,
      loadSession: true,
      sessionCapabilities,
      _meta: { ...meta, [META_KEY]: ours },
    },
    authMethods: authMethods(agentResult.authMethods, profile),
    agentInfo: isObject(agentResult.agentInfo) ? agentResult.agentInfo : { name: agentName, version: 'unknown' },
  };
}

function authMethods(offered: unknown, profile: ClientProfile): readonly JsonObject[] {
  const { auth } = profile.clientCapabilities;
  const terminal = isObject(auth) && auth.terminal === true;
  const seen = new Set<unknown>();
  return (Array.isArray(offered) ? offered.filter(isObject) : []).filter((method) => {
    const fits = (method.type !== 'terminal' || terminal) && !seen.has(method.id);
    seen.add(method.id);
    return fits;
  });
}
