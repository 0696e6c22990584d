import type {
  GovernedServerDetails,
  PoliciesInfo,
  PolicyCheckInfo,
  PolicyFileInfo,
  RequestInfo,
  ServerApproval,
  ServerList,
} from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

/** MCP servers. */
export interface ServerCalls {
  /** Of all live sessions, or of one, and what people decided about any. */
  list(query?: { readonly session?: string | undefined }): Promise<ServerList>;
  show(session: string, name: string): Promise<GovernedServerDetails>;
  /** Starts one again that failed, or asks again about one that was refused. */
  retry(session: string, name: string): Promise<void>;
  /** Answers what waits about it in every session; those requests. Rejects with `conflict` where nothing waits. */
  approve(fingerprint: string, approval?: ServerApproval): Promise<readonly RequestInfo[]>;
  /** The number of decisions that are gone. */
  forget(fingerprint: string): Promise<number>;
}

export interface PolicyCalls {
  /** Those in force. */
  show(): Promise<PoliciesInfo>;
  /** Changes nothing. */
  check(files: readonly PolicyFileInfo[]): Promise<PolicyCheckInfo>;
  /** Decides one case by the policies in force. */
  explain(facts: unknown): Promise<unknown>;
  /** Reads the files of the configuration again; where one is wrong, the policies of before stay. */
  reload(): Promise<PolicyCheckInfo>;
}

export function serverCalls(http: HttpCaller): ServerCalls {
  const at = (session: string, name: string): string =>
    `/v1/sessions/${encodeURIComponent(session)}/servers/${encodeURIComponent(name)}`;
  const pinned = (fingerprint: string): string => `/v1/servers/${encodeURIComponent(fingerprint)}`;
  return {
    list: async (query = {}) => (await http.call('GET', '/v1/servers', { query })) as ServerList,
    show: async (session, name) => (await http.call('GET', at(session, name))) as GovernedServerDetails,
    retry: async (session, name) => void (await http.call('POST', `${at(session, name)}/retry`)),
    approve: async (fingerprint, body = {}) => {
      const answered = await http.call('POST', `${pinned(fingerprint)}/approve`, { body });
      return (answered as { readonly requests: readonly RequestInfo[] }).requests;
    },
    forget: async (fingerprint) =>
      ((await http.call('DELETE', pinned(fingerprint))) as { readonly forgotten: number }).forgotten,
  };
}

export function policyCalls(http: HttpCaller): PolicyCalls {
  return {
    show: async () => (await http.call('GET', '/v1/policies')) as PoliciesInfo,
    check: async (files) => (await http.call('POST', '/v1/policies/check', { body: { files } })) as PolicyCheckInfo,
    explain: async (facts) => http.call('POST', '/v1/policies/explain', { body: { facts } }),
    reload: async () => (await http.call('POST', '/v1/policies/reload')) as PolicyCheckInfo,
  };
}
