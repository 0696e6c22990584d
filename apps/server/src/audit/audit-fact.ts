import type { EnforcementFact, FactPlace, OfSession } from './fact-parts.ts';
import type { GovernanceFact, PolicyVerdict } from './governance-fact.ts';
import type { TraceId } from './trace-id.ts';

/** A tool as an agent names it; no argument of the call. */
export interface ToolFact {
  readonly name?: string;
  /** ACP's `ToolKind`. */
  readonly kind?: string;
}

/**
 * Why a directory cannot be of a boundary. `missing`: nothing is there, or what is there cannot be read; `never`: no root may be there,
 * whoever asks; `outside`: it lies in no root; `workspace`: no workspace has that name; `too_many`; `forbidden`: the agent's own entry or
 * the operator's rules do not allow it.
 */
export type BoundaryRefusal = 'missing' | 'never' | 'outside' | 'workspace' | 'too_many' | 'forbidden';

export type AskedKind = 'permission' | 'question' | 'elicitation' | 'review';

/** What is recorded, by kind, and with what each kind says. New kinds are added here when there is something to record. */
export type AuditFact =
  | GovernanceFact
  | { readonly kind: 'server.started'; readonly version: string }
  | { readonly kind: 'server.stopped' }
  | OfSession<
      'session.created',
      { readonly by: string; readonly agent: string; readonly protocolVersion: number; readonly agentVersion?: string }
    >
  /** `how`: by whom the conversation is remembered. */
  | OfSession<'session.forked', { readonly by: string; readonly parent: string; readonly how: 'agent' | 'transcript' }>
  | OfSession<
      'session.ended',
      {
        readonly by: string;
        readonly reason: string;
        readonly exitCode?: number | null;
        readonly signal?: string | null;
      }
    >
  /** `network`: what the client asked for, with the hosts where it named them; the agent's own rule without it. */
  | OfSession<
      'boundary.set',
      {
        readonly by: string;
        readonly revision: number;
        readonly roots: readonly FactPlace[];
        readonly network?: 'none' | 'full' | readonly string[];
      }
    >
  | OfSession<
      'agent.started',
      {
        readonly agent: string;
        readonly epoch: number;
        readonly enforcement: EnforcementFact;
        /** Of the boundary that it was started in. */
        readonly revision: number | undefined;
        readonly roots: readonly FactPlace[];
      }
    >
  /** It was not started, or did not come up. `reason`: one word of Reeve's own. */
  | {
      readonly kind: 'agent.refused';
      readonly session?: string;
      readonly decision: 'deny';
      readonly agent: string;
      readonly reason: string;
      /** Of the boundary that it was to be started in; without one for an agent that serves no session. */
      readonly revision?: number;
      readonly roots: readonly FactPlace[];
    }
  | OfSession<
      'agent.exited',
      { readonly epoch: number; readonly exitCode: number | null; readonly signal: string | null }
    >
  | OfSession<
      'request.asked',
      Asked & { readonly offered: readonly string[]; readonly locations: readonly FactPlace[] }
    >
  /** `decision`: `allow` or `deny` of a permission, `answered`, `rejected` or `cancelled` of a question. */
  | OfSession<
      'request.answered',
      Asked & {
        readonly by: string;
        readonly decision: string;
        readonly option?: string;
        readonly locations: readonly FactPlace[];
        /** That whoever answered has named; the record is of the trace in which it was asked. */
        readonly answerTrace?: TraceId;
      }
    >
  /** Reeve decided, since nobody did in time. */
  | OfSession<'request.timed_out', Asked & { readonly decision: string; readonly option?: string }>
  /** It ended without an answer: `cancelled` while the agent could be told, else `void`. `reason`: Reeve's own words. */
  | OfSession<'request.ended', Asked & { readonly decision: 'cancelled' | 'void'; readonly reason: string }>
  /** The agent asked Reeve for a file that its roots do not let it have. `count`: how many of the session it stands for. */
  | OfSession<
      'fs.refused',
      {
        readonly decision: 'deny';
        readonly method: 'fs/read_text_file' | 'fs/write_text_file';
        readonly reason: 'outside' | 'read_only' | 'protected' | 'root_gone';
        /** As the agent named it. */
        readonly place: FactPlace;
        readonly count: number;
      }
    >
  /** The agent wanted Reeve to run a command that its roots or its sandbox do not let it have. `count`: as of `fs.refused`. */
  | OfSession<
      'terminal.refused',
      {
        readonly decision: 'deny';
        readonly reason: 'outside' | 'root_gone' | 'bad-root' | 'not-visible' | 'no-sandbox' | 'refused';
        /** The directory that it was to run in, or the program that the sandbox does not show; as the agent named it. */
        readonly place: FactPlace;
        readonly count: number;
      }
    >
  /**
   * A client asked for a boundary that it may not have, and nothing of it was done. `reasons`: why, each once. Of a new session that never
   * came to be it names no session.
   */
  | {
      readonly kind: 'boundary.refused';
      readonly session?: string;
      readonly by: string;
      readonly decision: 'deny';
      readonly reasons: readonly BoundaryRefusal[];
      /** As far as they are known to lie where they were named. */
      readonly places: readonly FactPlace[];
    }
  | OfSession<'egress.denied', { readonly host: string; readonly port: number; readonly reason: string }>
  | (PolicyVerdict & {
      readonly kind: 'audit.path_revealed';
      readonly by: string;
      readonly record: number;
      readonly paths: number;
    })
  /** Policies did not let somebody see the paths of a record. */
  | (PolicyVerdict & {
      readonly kind: 'audit.reveal_refused';
      readonly by: string;
      readonly decision: 'deny';
      readonly record: number;
    })
  /** Both keys as `reeve audit verify --key` takes them. */
  | { readonly kind: 'audit.key_rotated'; readonly by: string; readonly before: string; readonly after: string }
  /** The key that signed the last checkpoint is gone; this one takes its place. */
  | { readonly kind: 'audit.key_replaced'; readonly after: string };

interface Asked {
  readonly request: string;
  readonly asked: AskedKind;
  readonly tool?: ToolFact;
}

/** Where rooms tell what the audit log must have. A record is of the trace in which it is told (trace-scope.ts). */
export interface Audit {
  /** Durable once resolved. Rejects when the record could not be stored. */
  record(fact: AuditFact): Promise<void>;
  /** For what nobody waits for: written before anything that is written after this call; a failure is told to the log. */
  note(fact: AuditFact): void;
}
