import type { BoundaryAccess } from '@reeve/protocol';
import type { RiskClass } from './risk.ts';

/** Where a server was named. */
export type ServerOrigin = 'configuration' | 'client' | 'workspace' | 'agent';

/** What policies are told of an MCP server. */
export interface ServerFacts {
  readonly name: string;
  readonly fingerprint: string;
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly origin: ServerOrigin;
  /** Runs on this machine, started by Reeve. */
  readonly local: boolean;
  /** The operating system confines it to its roots. */
  readonly sandboxed: boolean;
  /** A person approved this very fingerprint. */
  readonly known: boolean;
  /** What it says about its tools is believed. */
  readonly trusted: boolean;
}

/** What policies are told of a root: never its path. */
export interface RootFacts {
  /** Names the root in decisions without telling its path, such as its label in audit records. */
  readonly label: string;
  readonly kind: 'directory' | 'file';
  /** Names from `/` to it. */
  readonly depth: number;
  readonly inProject: boolean;
  readonly highRisk: boolean;
  /** At least one; `ordinary` stands alone. */
  readonly risks: readonly RiskClass[];
  readonly repository?: string;
}

export interface UserFacts {
  readonly id: string;
  readonly administrator: boolean;
}

/** For whom something is decided. */
export interface Circumstances {
  readonly user: UserFacts;
  /** Its name in the registry. */
  readonly agent: string;
  readonly session: {
    readonly id: string;
    /** The operating system holds its boundary. */
    readonly enforced: boolean;
  };
}

export interface ExposeRootFacts extends Circumstances {
  readonly kind: 'expose_root';
  readonly server: ServerFacts;
  readonly root: RootFacts;
  readonly access: BoundaryAccess;
  /** Who asks: Reeve for the roots of the session, the server for one of its own choice, a person. */
  readonly initiator: 'reeve' | 'server' | 'person';
}

export interface StartServerFacts extends Circumstances {
  readonly kind: 'start_server';
  readonly server: ServerFacts;
}

export interface CallToolFacts extends Circumstances {
  readonly kind: 'call_tool';
  readonly server: ServerFacts;
  readonly tool: {
    readonly name: string;
    /** What the server says of it; without a word destructive and open-world (MCP, tool annotations). */
    readonly readOnly: boolean;
    readonly destructive: boolean;
    readonly openWorld: boolean;
  };
  /** The server has not asked for its roots since they changed. */
  readonly staleRoots: boolean;
}

/** `user` is who grants. */
export interface GrantFacts extends Circumstances {
  readonly kind: 'grant';
  readonly server: ServerFacts;
  readonly root: RootFacts;
  readonly access: BoundaryAccess;
}

/** `user` is who wants to see the paths of `session`. */
export interface RevealPathFacts extends Circumstances {
  readonly kind: 'reveal_path';
}

/** What is to be decided, with everything that policies may look at. `kind` is the action. */
export type PolicyFacts = ExposeRootFacts | StartServerFacts | CallToolFacts | GrantFacts | RevealPathFacts;
