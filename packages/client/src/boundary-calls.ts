import type {
  AlarmPage,
  BoundaryInfo,
  ChangedBoundary,
  GrantInfo,
  NewBoundary,
  NewGrant,
  PathCheckInfo,
  RequestedRootInfo,
  ReviewScope,
  RootWish,
  WorkspaceInfo,
} from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

/** Sessions are named by id or alias. */
export interface BoundaryCalls {
  show(session: string): Promise<BoundaryInfo>;
  /** What is left out stays. Settles when the change is carried out. */
  set(session: string, boundary: NewBoundary): Promise<ChangedBoundary>;
  /** Leaves only what the body has too. */
  narrow(session: string, to: Pick<NewBoundary, 'roots' | 'network'>): Promise<ChangedBoundary>;
  /** From the session, or from one server alone. */
  revoke(session: string, path: string, server?: string): Promise<ChangedBoundary>;
  /** What a path may be used for, and what to do about it. */
  check(session: string, path: string): Promise<PathCheckInfo>;
  /** Settles when the requests stand, not when they are answered. */
  request(session: string, root: RootWish): Promise<RequestedRootInfo>;
}

export interface GrantQuery {
  readonly session?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly scope?: ReviewScope | undefined;
}

export interface GrantCalls {
  list(query?: GrantQuery): Promise<readonly GrantInfo[]>;
  /** To one server of a session, or to the session itself. */
  create(grant: NewGrant): Promise<ChangedBoundary>;
  /** Settles when that is carried out. */
  revoke(id: string): Promise<void>;
}

export interface WorkspaceCalls {
  list(): Promise<readonly WorkspaceInfo[]>;
  show(name: string): Promise<WorkspaceInfo>;
}

export interface AlarmQuery {
  readonly session?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export function boundaryCalls(http: HttpCaller): BoundaryCalls {
  const at = (session: string, rest: string): string => `/v1/sessions/${encodeURIComponent(session)}/${rest}`;
  return {
    show: async (session) => (await http.call('GET', at(session, 'boundary'))) as BoundaryInfo,
    set: async (session, body) => (await http.call('PUT', at(session, 'boundary'), { body })) as ChangedBoundary,
    narrow: async (session, body) =>
      (await http.call('POST', at(session, 'boundary/narrow'), { body })) as ChangedBoundary,
    revoke: async (session, path, server) =>
      (await http.call('POST', at(session, 'boundary/revoke'), { body: { path, server } })) as ChangedBoundary,
    check: async (session, path) =>
      (await http.call('GET', at(session, 'roots/check'), { query: { path } })) as PathCheckInfo,
    request: async (session, body) =>
      (await http.call('POST', at(session, 'roots/request'), { body })) as RequestedRootInfo,
  };
}

export function grantCalls(http: HttpCaller): GrantCalls {
  return {
    list: async (query = {}) =>
      ((await http.call('GET', '/v1/grants', { query: { ...query } })) as { readonly grants: readonly GrantInfo[] })
        .grants,
    create: async (body) => (await http.call('POST', '/v1/grants', { body })) as ChangedBoundary,
    revoke: async (id) => void (await http.call('DELETE', `/v1/grants/${encodeURIComponent(id)}`)),
  };
}

export function workspaceCalls(http: HttpCaller): WorkspaceCalls {
  return {
    list: async () =>
      ((await http.call('GET', '/v1/workspaces')) as { readonly workspaces: readonly WorkspaceInfo[] }).workspaces,
    show: async (name) => (await http.call('GET', `/v1/workspaces/${encodeURIComponent(name)}`)) as WorkspaceInfo,
  };
}

/** One page of alarms, newest first. */
export async function listAlarms(http: HttpCaller, query: AlarmQuery = {}): Promise<AlarmPage> {
  return (await http.call('GET', '/v1/alarms', { query: { ...query } })) as AlarmPage;
}
