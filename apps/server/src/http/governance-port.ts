import type {
  BoundaryInfo,
  BoundaryPreview,
  DecidedServers,
  GovernedServerDetails,
  GrantInfo,
  NewBoundary,
  NewGrant,
  NewSession,
  PathCheckInfo,
  PoliciesInfo,
  PolicyCheckInfo,
  PolicyFile,
  RequestedRootInfo,
  ReviewScope,
  RootWish,
  ServerApproval,
  ServerDenial,
  ServerList,
  WorkspaceInfo,
} from '@reeve/protocol';
import type { RevealVerdict } from '../audit/reveal-paths.ts';
import type { DirectoryAnswer } from '../boundary/list-directories.ts';
import type { Actor, ChangeResult } from '../boundary/session-guard.ts';

type Carried = { readonly kind: 'changed' | 'unchanged' };

/** Nothing was done. `next`: what to do instead. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
  readonly next: string;
}

/** What a person decides about a server. */
export type ServerVerdict =
  | ({ readonly decision: 'approve' } & ServerApproval)
  | ({ readonly decision: 'deny' } & ServerDenial);

export interface DecisionQuery {
  /** Id or alias. */
  readonly session?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly scope?: ReviewScope | undefined;
}

/**
 * What the control API needs of boundaries, MCP servers and policies. Sessions are named by id or alias; calls about an unknown one
 * reject with the ReeveError `not_found`.
 */
export interface GovernancePort {
  workspaces(): readonly WorkspaceInfo[];
  /** In a workspace of the configuration; its roots without `path`. */
  directories(workspace: string, path: string | undefined): Promise<DirectoryAnswer | { readonly kind: 'unknown' }>;
  /** Rejects with the ReeveError that making the session would for a body of that shape. */
  preview(wanted: NewSession): Promise<BoundaryPreview>;

  boundary(session: string): Promise<BoundaryInfo>;
  setBoundary(session: string, wish: NewBoundary, by: Actor): Promise<ChangeResult>;
  /** Leaves only what `to` has too. */
  narrow(session: string, to: Pick<NewBoundary, 'roots' | 'network'>, by: Actor): Promise<ChangeResult>;
  /** From the session, or from one server alone. */
  revokeRoot(session: string, path: string, server: string | undefined, by: Actor): Promise<ChangeResult>;
  checkPath(session: string, path: string): Promise<PathCheckInfo>;
  requestRoot(
    session: string,
    wish: RootWish,
    by: Actor,
  ): Promise<{ readonly kind: 'asked'; readonly asked: RequestedRootInfo } | Exclude<ChangeResult, Carried>>;

  grants(query: DecisionQuery): Promise<readonly GrantInfo[]>;
  grant(grant: NewGrant, by: Actor): Promise<ChangeResult>;
  /** False when there is none. */
  revokeGrant(id: string, by: Actor): Promise<boolean>;

  /** Of all sessions that are live, or of one. */
  servers(session: string | undefined): Promise<ServerList>;
  /** Undefined where the session has none of that name. */
  server(session: string, name: string): Promise<GovernedServerDetails | undefined>;
  /** Starts one again that failed or was refused; asks again for admission. False where there is none of that name. */
  retryServer(session: string, name: string): Promise<boolean>;
  /** Answers every review that waits about this server; where none does, decides in each session that has it. */
  decideServer(
    fingerprint: string,
    verdict: ServerVerdict,
    by: Actor,
  ): Promise<{ readonly kind: 'decided'; readonly decided: DecidedServers } | Refused>;
  /** The number of decisions that are gone. */
  forgetServer(fingerprint: string, by: Actor): Promise<number>;

  /** Whether policies let somebody see the paths of a record. @param session that it is of, if it is of one */
  permitReveal(session: string | undefined, by: Actor): Promise<RevealVerdict>;

  policies(): Promise<PoliciesInfo>;
  checkPolicies(files: readonly PolicyFile[]): Promise<PolicyCheckInfo>;
  /** Reads the files of the configuration again. */
  reloadPolicies(by: Actor): Promise<PolicyCheckInfo>;
  explain(facts: unknown): Promise<
    | { readonly kind: 'explained'; readonly explanation: object }
    | {
        readonly kind: 'invalid';
        readonly issues: readonly { readonly path: string; readonly expected: string; readonly next: string }[];
      }
  >;
}
