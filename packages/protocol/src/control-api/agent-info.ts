/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** `GET /v1/agents` gives `{agents, installable}`. */
export interface AgentInfo {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly available: boolean;
  /** Why it is not available, and what to do. */
  readonly problem?: string;
  readonly default: boolean;
  /** It refused its newest session until somebody logs in; how, is in `authMethods` of its `initialize` result. */
  readonly loginNeeded?: true;
}

/** An agent that this server knows and that is nowhere on its machine: a version of it can be installed. */
export interface InstallableAgent {
  readonly name: string;
  /** The npm package. */
  readonly package: string;
}

/** `GET /v1/agents/{name}`: what is known without starting it. */
export interface AgentDetails extends AgentInfo {
  /** Its own `initialize` result, once one was seen. */
  readonly initialize?: unknown;
  /** `modes`, `models` and `configOptions` as its newest session has them. */
  readonly setup?: { readonly [member: string]: unknown };
}

/** `POST /v1/agents/{name}/check`: the agent's own `initialize` result, or a JSON-RPC error. */
export type AgentCheck =
  | { readonly name: string; readonly ok: true; readonly durationMs: number; readonly initialize: unknown }
  | { readonly name: string; readonly ok: false; readonly durationMs: number; readonly error: unknown };

/** What a client that asked for a version of the agent got. */
export interface AgentVersion {
  /** As it was asked for: an exact version, a range, or a tag of the registry. */
  readonly requested: string;
  /** Absent where the agent does not say its version. */
  readonly running?: string;
  /** The configured command, or a version that was installed from npm. */
  readonly source: 'configured' | 'installed';
  /** Why it is not what the registry would give. */
  readonly note?: string;
}

/** `GET /v1/agents/{name}/versions`. Versions are listed newest first. */
export interface AgentVersions {
  readonly agent: string;
  /** The npm package that other versions come from. */
  readonly package?: string;
  /** What the configured command says of itself. */
  readonly configured?: string;
  readonly installed: readonly { readonly version: string; readonly integrity: string; readonly installedAt: number }[];
  /** The newest 20 of the registry. */
  readonly available: readonly string[];
  /** Version by tag of the registry. */
  readonly tags: Readonly<Record<string, string>>;
  /** Why the registry could not be asked, and what to do. */
  readonly problem?: string;
}

/** A line of `POST /v1/agents/{name}/install`; the last one is `installed` or `failed`. */
export type InstallLine =
  | {
      readonly kind: 'progress';
      readonly phase: 'resolving' | 'downloading' | 'checking' | 'done';
      readonly detail: string;
    }
  | {
      readonly kind: 'installed';
      readonly agent: string;
      readonly package: string;
      readonly version: string;
      readonly integrity: string;
      /** Programs by name: where they lie on the server. */
      readonly bins: Readonly<Record<string, string>>;
      /** Why the registry was not asked which version that is. */
      readonly note?: string;
    }
  /** As a problem of the HTTP API (RFC 9457). */
  | { readonly kind: 'failed'; readonly problem: unknown };
