import type { RequestAnswer, RequestInfo } from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

export interface RequestCalls {
  /** Pending ones unless told otherwise, oldest first. */
  list(
    query?: { readonly session?: string | undefined; readonly state?: 'pending' | 'all' },
    signal?: AbortSignal,
  ): Promise<readonly RequestInfo[]>;
  show(id: string, signal?: AbortSignal): Promise<RequestInfo>;
  /** The request as it is then. Rejects with `already_resolved` or `not_offered`. */
  answer(id: string, answer: RequestAnswer, signal?: AbortSignal): Promise<RequestInfo>;
}

export function requestCalls(http: HttpCaller): RequestCalls {
  const at = (id: string): string => `/v1/requests/${encodeURIComponent(id)}`;
  return {
    async list(query = {}, signal) {
      const answer = await http.call('GET', '/v1/requests', { query, signal });
      return (answer as { readonly requests: readonly RequestInfo[] }).requests;
    },
    show: async (id, signal) => (await http.call('GET', at(id), { signal })) as RequestInfo,
    answer: async (id, body, signal) =>
      ((await http.call('POST', `${at(id)}/answer`, { body, signal })) as { readonly request: RequestInfo }).request,
  };
}
