import { capabilitiesForAgent, isObject, type JsonObject, ReeveError } from '@reeve/protocol';

/** What a client's `initialize` says that the agent is told too, by the names of v1. */
export interface ClientProfile {
  /** 1 when absent. The agent is initialized with the same. */
  readonly protocolVersion?: AcpVersion;
  readonly clientCapabilities: JsonObject;
  readonly clientInfo?: JsonObject;
}

/** The versions of ACP that Reeve speaks (ACP, initialization). */
export type AcpVersion = 1 | 2;

/** The version in which a client with this profile speaks. */
export function versionOf({ protocolVersion = 1 }: ClientProfile): AcpVersion {
  return protocolVersion;
}

/** A client in another version than its own: nothing is known of what it can do. */
export function inVersion(profile: ClientProfile, version: AcpVersion): ClientProfile {
  if (versionOf(profile) === version) return profile;
  const { clientInfo } = profile;
  return {
    ...(version === 1 ? {} : { protocolVersion: version }),
    clientCapabilities: {},
    ...(clientInfo ? { clientInfo } : {}),
  };
}

/**
 * The params of `initialize` for an agent. `offersServices`: Reeve serves files and terminals, where the version knows such requests
 * (ACP v1, client capabilities `fs` and `terminal`; in v2 an agent has its own).
 */
export function initializeParams(profile: ClientProfile, offersServices: boolean): JsonObject {
  const { clientInfo } = profile;
  const capabilities = capabilitiesForAgent(profile.clientCapabilities);
  if (versionOf(profile) === 2) return { protocolVersion: 2, info: clientInfo ?? UNNAMED, capabilities };
  return {
    protocolVersion: 1,
    ...(clientInfo ? { clientInfo } : {}),
    clientCapabilities: offersServices ? withServices(capabilities) : capabilities,
  };
}

/** ACP v2, error -32022: the client may come back in a version that is supported, on the same connection. */
export function unsupportedVersion(requested: number, supported: readonly AcpVersion[], message?: string): ReeveError {
  return new ReeveError('unsupported_protocol_version', { message, data: { requested, supported } });
}

/** What v2 demands of every client, for one that is not known (ACP v2, `InitializeRequest.info`). */
const UNNAMED = { name: 'unknown', version: 'unknown' };

function withServices(capabilities: JsonObject): JsonObject {
  const fs = { ...(isObject(capabilities.fs) ? capabilities.fs : {}), readTextFile: true, writeTextFile: true };
  return { ...capabilities, fs, terminal: true };
}
