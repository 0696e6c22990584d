import type {
  DecidedServers,
  GovernedServerDetails,
  PoliciesInfo,
  PolicyCheckInfo,
  PolicyFile,
  ServerApproval,
  ServerDenial,
  ServerList,
} from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

/** MCP servers. */
export interface ServerCalls {
  /** Of all live sessions, or of one, and what people decided about any. */
  list(query?: { readonly session?: string | undefined }, signal?: AbortSignal): Promise<ServerList>;
  show(session: string, name: string, signal?: AbortSignal): Promise<GovernedServerDetails>;
  /** Starts one again that failed, or asks again about one that was refused. */
  retry(session: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Answers what waits about it in every session, or changes what was decided. Rejects with `conflict` where there is neither. */
  approve(fingerprint: string, approval?: ServerApproval, signal?: AbortSignal): Promise<DecidedServers>;
  /** The same for a no: where nothing waits, it stops where it runs. */
  deny(fingerprint: string, denial?: ServerDenial, signal?: AbortSignal): Promise<DecidedServers>;
  /** The number of decisions that are gone. */
  forget(fingerprint: string, signal?: AbortSignal): Promise<number>;
}

export interface PolicyCalls {
  /** Those in force. */
  show(signal?: AbortSignal): Promise<PoliciesInfo>;
  /** Changes nothing. */
  check(files: readonly PolicyFile[], signal?: AbortSignal): Promise<PolicyCheckInfo>;
  /** Decides one case by the policies in force. */
  explain(facts: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Reads the files of the configuration again; where one is wrong, the policies of before stay. */
  reload(signal?: AbortSignal): Promise<PolicyCheckInfo>;
}

export function serverCalls(http: HttpCaller): ServerCalls {
  const at = (session: string, name: string): string =>
    `/v1/sessions/${encodeURIComponent(session)}/servers/${encodeURIComponent(name)}`;
  const pinned = (fingerprint: string): string => `/v1/servers/${encodeURIComponent(fingerprint)}`;
  return {
    list: async (query = {}, signal) => (await http.call('GET', '/v1/servers', { query, signal })) as ServerList,
    show: async (session, name, signal) =>
      (await http.call('GET', at(session, name), { signal })) as GovernedServerDetails,
    retry: async (session, name, signal) =>
      void (await http.call('POST', `${at(session, name)}/retry`, { signal, patience: 'work' })),
    approve: async (fingerprint, body = {}, signal) =>
      (await http.call('POST', `${pinned(fingerprint)}/approve`, { body, signal, patience: 'work' })) as DecidedServers,
    deny: async (fingerprint, body = {}, signal) =>
      (await http.call('POST', `${pinned(fingerprint)}/deny`, { body, signal, patience: 'work' })) as DecidedServers,
    forget: async (fingerprint, signal) =>
      ((await http.call('DELETE', pinned(fingerprint), { signal, patience: 'work' })) as { readonly forgotten: number })
        .forgotten,
  };
}

export function policyCalls(http: HttpCaller): PolicyCalls {
  return {
    show: async (signal) => (await http.call('GET', '/v1/policies', { signal })) as PoliciesInfo,
    check: async (files, signal) =>
      (await http.call('POST', '/v1/policies/check', { body: { files }, signal, patience: 'open' })) as PolicyCheckInfo,
    explain: async (facts, signal) => http.call('POST', '/v1/policies/explain', { body: { facts }, signal }),
    reload: async (signal) =>
      (await http.call('POST', '/v1/policies/reload', { signal, patience: 'open' })) as PolicyCheckInfo,
  };
}
