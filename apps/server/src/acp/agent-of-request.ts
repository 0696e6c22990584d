import { isObject, type JsonObject } from '@reeve/protocol';
import { versionOf } from '../agents/acp-version.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { Caller } from './client-request.ts';
import { setupCapabilities } from './initialize-v2.ts';

export interface AgentOfRequest {
  readonly entry: AgentEntry;
  /** By the names of v1, whatever it speaks. */
  readonly capabilities: JsonObject;
}

/**
 * The agent that a request is about: the named one, else the connection's. Starts it where nothing is known of it yet. Throws
 * `invalid_params` for an unknown name.
 */
export async function agentOfRequest(
  { directory, bound, port }: Caller,
  name: string | undefined,
): Promise<AgentOfRequest> {
  if (name === undefined || name === bound.entry.name) {
    return { entry: bound.entry, capabilities: bound.agentCapabilities };
  }
  const { agents } = directory.services;
  const entry = agents.entry(name);
  const version = versionOf(port.profile);
  const initialize = agents.lastInitialize(entry, version) ?? (await agents.initialize(entry, port.profile));
  if (version === 2) return { entry, capabilities: setupCapabilities(initialize) };
  return { entry, capabilities: isObject(initialize.agentCapabilities) ? initialize.agentCapabilities : {} };
}
