import type { AgentCheck, AgentDetails, AgentInfo, AgentVersions, InstallableAgent } from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';
import { type InstalledAgent, type InstallOptions, installAgent } from './install-agent.ts';

export interface AgentCalls {
  list(signal?: AbortSignal): Promise<readonly AgentInfo[]>;
  /** Those that the server knows, and that are nowhere on its machine until somebody installs them. */
  installable(signal?: AbortSignal): Promise<readonly InstallableAgent[]>;
  /** With what is known without starting it. */
  show(name: string, signal?: AbortSignal): Promise<AgentDetails>;
  /** Starts the agent, initializes it and ends it. */
  check(name: string, signal?: AbortSignal): Promise<AgentCheck>;
  /** The configured version, those installed, and those of the npm registry. */
  versions(name: string, signal?: AbortSignal): Promise<AgentVersions>;
  /** Installs a version, range or tag of the npm registry; `latest` unless told. An abort leaves the server at it. */
  install(name: string, options?: InstallOptions): Promise<InstalledAgent>;
}

export function agentCalls(http: HttpCaller): AgentCalls {
  const at = (name: string): string => `/v1/agents/${encodeURIComponent(name)}`;
  return {
    list: async (signal) =>
      ((await http.call('GET', '/v1/agents', { signal })) as { readonly agents: readonly AgentInfo[] }).agents,
    installable: async (signal) =>
      ((await http.call('GET', '/v1/agents', { signal })) as { readonly installable?: readonly InstallableAgent[] })
        .installable ?? [],
    show: async (name, signal) => (await http.call('GET', at(name), { signal })) as AgentDetails,
    check: async (name, signal) =>
      (await http.call('POST', `${at(name)}/check`, { signal, patience: 'work' })) as AgentCheck,
    versions: async (name, signal) =>
      (await http.call('GET', `${at(name)}/versions`, { signal, patience: 'work' })) as AgentVersions,
    install: (name, options) => installAgent(http, `${at(name)}/install`, options),
  };
}
