import type {
  AlarmPage,
  BoundaryInfo,
  BoundaryPreview,
  ChangedBoundary,
  DirectoryList,
  GrantInfo,
  NewBoundary,
  NewGrant,
  NewSession,
  PathCheckInfo,
  RequestedRootInfo,
  ReviewScope,
  RootWish,
  WorkspaceInfo,
} from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

/** Sessions are named by id or alias. */
export interface BoundaryCalls {
  /** What a session would be that is made with the same. Starts nothing, asks nobody, changes nothing. */
  preview(session: NewSession, signal?: AbortSignal): Promise<BoundaryPreview>;
  show(session: string, signal?: AbortSignal): Promise<BoundaryInfo>;
  /** What is left out stays. Settles when the change is carried out. */
  set(session: string, boundary: NewBoundary, signal?: AbortSignal): Promise<ChangedBoundary>;
  /** Leaves only what the body has too. */
  narrow(session: string, to: Pick<NewBoundary, 'roots' | 'network'>, signal?: AbortSignal): Promise<ChangedBoundary>;
  /** From the session, or from one server alone. */
  revoke(session: string, path: string, server?: string, signal?: AbortSignal): Promise<ChangedBoundary>;
  /** What a path may be used for, and what to do about it. */
  check(session: string, path: string, signal?: AbortSignal): Promise<PathCheckInfo>;
  /** Settles when the requests stand, not when they are answered. */
  request(session: string, root: RootWish, signal?: AbortSignal): Promise<RequestedRootInfo>;
}

export interface GrantQuery {
  readonly session?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly scope?: ReviewScope | undefined;
}

export interface GrantCalls {
  list(query?: GrantQuery, signal?: AbortSignal): Promise<readonly GrantInfo[]>;
  /** To one server of a session, or to the session itself. */
  create(grant: NewGrant, signal?: AbortSignal): Promise<ChangedBoundary>;
  /** Settles when that is carried out. */
  revoke(id: string, signal?: AbortSignal): Promise<void>;
}

export interface WorkspaceCalls {
  list(signal?: AbortSignal): Promise<readonly WorkspaceInfo[]>;
  show(name: string, signal?: AbortSignal): Promise<WorkspaceInfo>;
  /** Its roots, or the directories in one that lies in them. */
  directories(name: string, path?: string, signal?: AbortSignal): Promise<DirectoryList>;
}

export interface AlarmQuery {
  readonly session?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export function boundaryCalls(http: HttpCaller): BoundaryCalls {
  const at = (session: string, rest: string): string => `/v1/sessions/${encodeURIComponent(session)}/${rest}`;
  return {
    preview: async (body, signal) =>
      (await http.call('POST', '/v1/boundaries/preview', { body, signal, patience: 'work' })) as BoundaryPreview,
    show: async (session, signal) => (await http.call('GET', at(session, 'boundary'), { signal })) as BoundaryInfo,
    set: async (session, body, signal) =>
      (await http.call('PUT', at(session, 'boundary'), { body, signal, patience: 'work' })) as ChangedBoundary,
    narrow: async (session, body, signal) =>
      (await http.call('POST', at(session, 'boundary/narrow'), { body, signal, patience: 'work' })) as ChangedBoundary,
    revoke: async (session, path, server, signal) =>
      (await http.call('POST', at(session, 'boundary/revoke'), {
        body: { path, server },
        signal,
        patience: 'work',
      })) as ChangedBoundary,
    check: async (session, path, signal) =>
      (await http.call('GET', at(session, 'roots/check'), { query: { path }, signal })) as PathCheckInfo,
    request: async (session, body, signal) =>
      (await http.call('POST', at(session, 'roots/request'), { body, signal })) as RequestedRootInfo,
  };
}

export function grantCalls(http: HttpCaller): GrantCalls {
  return {
    list: async (query = {}, signal) =>
      (
        (await http.call('GET', '/v1/grants', { query: { ...query }, signal })) as {
          readonly grants: readonly GrantInfo[];
        }
      ).grants,
    create: async (body, signal) =>
      (await http.call('POST', '/v1/grants', { body, signal, patience: 'work' })) as ChangedBoundary,
    revoke: async (id, signal) =>
      void (await http.call('DELETE', `/v1/grants/${encodeURIComponent(id)}`, { signal, patience: 'work' })),
  };
}

export function workspaceCalls(http: HttpCaller): WorkspaceCalls {
  return {
    list: async (signal) =>
      ((await http.call('GET', '/v1/workspaces', { signal })) as { readonly workspaces: readonly WorkspaceInfo[] })
        .workspaces,
    show: async (name, signal) =>
      (await http.call('GET', `/v1/workspaces/${encodeURIComponent(name)}`, { signal })) as WorkspaceInfo,
    directories: async (name, path, signal) =>
      (await http.call('GET', `/v1/workspaces/${encodeURIComponent(name)}/directories`, {
        query: { path },
        signal,
      })) as DirectoryList,
  };
}

/** One page of alarms, newest first. */
export async function listAlarms(http: HttpCaller, query: AlarmQuery = {}, signal?: AbortSignal): Promise<AlarmPage> {
  return (await http.call('GET', '/v1/alarms', { query: { ...query }, signal })) as AlarmPage;
}
