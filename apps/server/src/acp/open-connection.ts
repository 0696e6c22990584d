import { isObject, type JsonObject, ReeveError } from '@reeve/protocol';
import { unsupportedVersion } from '../agents/acp-version.ts';
import type { AgentPool } from '../agents/agent-pool.ts';
import type { Bound } from './client-request.ts';
import { initializeResult, readIntroduction } from './initialize.ts';
import { initializeResultV2, readIntroductionV2, setupCapabilities } from './initialize-v2.ts';
import { wantedVersion } from './wanted-version.ts';

/** How a connection begins: what it is bound to, and the result of `initialize`. */
export interface OpenedConnection {
  readonly bound: Bound;
  readonly result: JsonObject;
}

/**
 * `initialize`: the connection speaks the version that the client wants and its agent knows. `agent`: from the URL. Throws
 * `invalid_params`; `unsupported_protocol_version` when a v2 client names an agent that speaks only v1: the client may send
 * `initialize` again.
 */
export async function openConnection(
  agents: AgentPool,
  params: JsonObject,
  { agent, version }: { readonly agent: string | undefined; readonly version: string },
): Promise<OpenedConnection> {
  const wanted = wantedVersion(params);
  if (wanted.kind === 'invalid') throw new ReeveError('invalid_params', { message: wanted.why });
  const introduction = wanted.kind === 'v2' ? readIntroductionV2(params) : readIntroduction(params);
  const { profile } = introduction;
  const entry = agents.entry(agent ?? introduction.agent);
  if (wanted.kind === 'v1') {
    const result = initializeResult(entry.name, await agents.initialize(entry, profile), profile, version);
    const agentCapabilities = isObject(result.agentCapabilities) ? result.agentCapabilities : {};
    return { bound: { entry, introduction, agentCapabilities }, result };
  }
  try {
    const result = initializeResultV2(entry.name, await agents.initialize(entry, profile), profile, version);
    return { bound: { entry, introduction, agentCapabilities: setupCapabilities(result) }, result };
  } catch (error) {
    if (!(error instanceof ReeveError) || error.name !== 'unsupported_protocol_version') throw error;
    throw unsupportedVersion(wanted.requested, [1], error.message);
  }
}
