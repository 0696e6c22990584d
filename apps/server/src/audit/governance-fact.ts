import type { Outcome, PolicyFacts } from '@reeve/policy';
import type { EnforcementFact, FactPlace, OfSession } from './fact-parts.ts';

/** An MCP server as far as it is recorded: neither command nor address, which may hold paths and secrets. */
export interface ServerFact {
  readonly name: string;
  readonly fingerprint: string;
  /** Missing where it does not run, and only what was decided about it is known. */
  readonly transport?: 'stdio' | 'http' | 'sse';
  readonly origin?: string;
}

/** What policies decided, and which. */
export interface PolicyVerdict {
  /** Ids. */
  readonly policies: readonly string[];
  readonly policyHash: string;
}

/** What a person decided, and how far that reaches. */
interface Approved {
  readonly by: string;
  readonly scope: 'session' | 'project' | 'always';
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** The request that was answered. */
  readonly request?: string;
}

type Granted = Approved & {
  /** Missing where it was decided for no running session. */
  readonly session?: string;
  readonly server: ServerFact;
  readonly roots: readonly FactPlace[];
};

/** By what some roots are a server's: policies, or what a person gave. `roots`: which of them, from 0; all without it. */
export interface GivenFact {
  readonly policies: readonly string[];
  readonly grant?: {
    readonly id: string;
    readonly by: string;
    readonly scope: Approved['scope'];
    /** Milliseconds since the epoch. */
    readonly expiresAt?: number;
  };
  readonly roots?: readonly number[];
}

/** What is recorded of boundaries, MCP servers, roots and calls (boundary, section 5). */
export type GovernanceFact =
  /** `approval`: `policy` where nobody had to be asked, else who may say so. */
  | OfSession<
      'mcp.admitted' | 'mcp.refused',
      PolicyVerdict & {
        readonly server: ServerFact;
        readonly decision: 'allow' | 'deny';
        readonly approval: 'policy' | 'user' | 'administrator';
        readonly by?: string;
        readonly request?: string;
      }
    >
  /** What confines the process of a server; none without one. */
  | OfSession<'mcp.confined', { readonly server: ServerFact; readonly enforcement?: EnforcementFact }>
  /** A person said that a server may run; `trusted`: what it says of its tools is believed. */
  | (Approved & {
      readonly kind: 'mcp.approved' | 'mcp.denied';
      readonly session?: string;
      readonly server: ServerFact;
      readonly trusted: boolean;
      readonly network?: 'none' | 'full' | readonly string[];
    })
  /** What a person decided about a server counts no more. `expired`: what that was. */
  | (Omit<Approved, 'by' | 'request'> & {
      readonly kind: 'mcp.expired';
      readonly session?: string;
      readonly server: ServerFact;
      readonly expired: 'allow' | 'deny';
    })
  /** A server that was admitted may not run any more, and why; `by`, where a person said so. */
  | OfSession<
      'mcp.withdrawn',
      {
        readonly server: ServerFact;
        readonly revision: number;
        readonly cause: 'expired' | 'denied' | 'taken_back' | 'policy';
        readonly by?: string;
        readonly policies?: readonly string[];
        readonly policyHash?: string;
      }
    >
  | { readonly kind: 'mcp.forgotten'; readonly by: string; readonly fingerprint: string; readonly decisions: number }
  | (Granted & { readonly kind: 'grant.given' | 'grant.denied' | 'grant.revoked' })
  | (Omit<Granted, 'by'> & { readonly kind: 'grant.expired' })
  /** `again`: the same as the last exposure to this server, whose record has the roots. */
  | OfSession<
      'roots.exposed',
      {
        readonly server: ServerFact;
        readonly revision: number;
        readonly initiator: 'reeve' | 'server';
        readonly roots: readonly FactPlace[];
        readonly again: boolean;
        /** By what each of the roots is the server's. */
        readonly given: readonly GivenFact[];
        /** Roots that nobody has decided about. */
        readonly undecided: number;
        readonly policyHash: string;
      }
    >
  | OfSession<
      'mcp.called',
      PolicyVerdict & {
        readonly server: ServerFact;
        readonly agent: string;
        /** MCP. */
        readonly method: string;
        readonly tool?: string;
        /** What policies said; `deny` of every call that was kept from the server, whoever did that. */
        readonly decision: string;
        readonly outcome: 'completed' | 'failed' | 'refused' | 'cancelled';
        /** Who kept it from the server. */
        readonly refusedBy?: 'gate' | 'policy' | 'person' | 'deadline' | 'caller';
        /** Of the boundary. */
        readonly startRevision: number;
        readonly endRevision: number;
        readonly paths: readonly FactPlace[];
        readonly request?: string;
        /** Who answered where a person was asked. */
        readonly by?: string;
      }
    >
  /** A server has another scope though the roots of its session are the same. */
  | OfSession<
      'boundary.revised',
      { readonly server: ServerFact; readonly revision: number; readonly direction: string }
    >
  | OfSession<
      'boundary.changed',
      {
        readonly by: string;
        readonly revision: number;
        readonly direction: string;
        readonly roots: readonly FactPlace[];
        readonly network?: 'none' | 'full' | readonly string[];
      }
    >
  /** What a probe from inside the sandbox of a server found after a change. */
  | OfSession<
      'boundary.verified',
      { readonly server: ServerFact; readonly revision: number; readonly result: 'gone' | 'unverified' }
    >
  /** A root is not what was approved any more, or is again. */
  | OfSession<
      'root.lost' | 'root.back',
      { readonly root: FactPlace; readonly how?: 'deleted' | 'replaced' | 'moved'; readonly revision: number }
    >
  /** A server asked for, or was asked to touch, what it was not given. */
  | OfSession<
      'boundary.alarm',
      {
        readonly server: ServerFact;
        readonly from: 'server' | 'agent';
        readonly place: FactPlace;
        readonly tool?: string;
        readonly revision: number;
        /** How many of this server it stands for; 1 unless told. */
        readonly count?: number;
      }
    >
  /**
   * Policies decided: once for each case of a session, as long as it is remembered. `case`: what they were told; `request`: that
   * asked a person, whose yes is among that.
   */
  | (PolicyVerdict & {
      readonly kind: 'policy.decided';
      readonly session?: string;
      readonly request?: string;
      readonly decision: Outcome;
      readonly case: PolicyFacts;
    })
  | {
      readonly kind: 'policy.loaded';
      readonly by: string;
      readonly policyHash: string;
      readonly policies: readonly string[];
    };
