import type { AuditEntry, AuditVerdict, ReviewParams } from '@reeve/client';

export interface PlanStep {
  readonly content: string;
  readonly status: string;
}

export interface FileDiff {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
}

/** What became of one attempt to read outside the root. */
export interface OutsideAttempt {
  readonly by: 'tool' | 'agent' | 'fs/read_text_file';
  readonly refused: boolean;
  /** What the agent was told: an error, or how much it read. */
  readonly text: string;
  /** What kept it from the file; undefined where nothing did. */
  readonly heldBy: string | undefined;
}

/** What happens in a demonstration, in order; with `--json` each is one line as it stands here. */
export type DemoEvent =
  | {
      readonly kind: 'started';
      readonly url: string;
      readonly token: string | undefined;
      /** Where a person can look and answer; the token is in it. */
      readonly console: string;
      readonly project: string;
      readonly outside: string;
      readonly enforced: boolean;
      /** What holds the agent, or why nothing does. */
      readonly bounds: string;
    }
  | { readonly kind: 'prompted'; readonly session: string; readonly text: string }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'planned'; readonly steps: readonly PlanStep[] }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly title: string;
      readonly status: string;
      readonly text: string | undefined;
      readonly diffs: readonly FileDiff[];
    }
  | {
      readonly kind: 'asked';
      readonly request: string | undefined;
      /** `review`: Reeve itself asks, before an MCP server may start, see a directory or run a call. */
      readonly asked: 'permission' | 'question' | 'review';
      readonly title: string;
      readonly options: readonly string[];
      readonly review: ReviewParams | undefined;
    }
  /** `title`: what was asked; not told where it stands in the line before. */
  | {
      readonly kind: 'answered';
      readonly title: string | undefined;
      readonly by: string;
      readonly answer: string | undefined;
    }
  | { readonly kind: 'ended'; readonly stopReason: string }
  /** `boundary` as the control API gives it. */
  | { readonly kind: 'held'; readonly boundary: unknown }
  | { readonly kind: 'outside'; readonly attempts: readonly OutsideAttempt[] }
  /** Who reached for what it was not given, as the audit log has it. */
  | { readonly kind: 'alarmed'; readonly alarms: readonly AuditEntry[] }
  | { readonly kind: 'recorded'; readonly records: readonly AuditEntry[] }
  | { readonly kind: 'verified'; readonly verdict: AuditVerdict };

export type TellDemo = (event: DemoEvent) => void;
