import type { RequestId, SessionId } from '../ids.ts';
import type { JsonObject, JsonRpcId } from '../json-rpc.ts';
import type { ReplyMapping } from '../permission.ts';
import type { Question, QuestionAnswer } from '../question.ts';
import type { ReviewResult } from '../review.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/** `review`: Reeve itself asks, about an MCP server; see ReviewParams. */
export type RequestKind = 'permission' | 'question' | 'elicitation' | 'review';

/** How a request ended, or that it has not. */
export type RequestState =
  | { readonly kind: 'pending' }
  /** `result` is the JSON-RPC result that the agent was sent. */
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly by: string;
      readonly result: unknown;
      /** Present when a permission was answered in three words, or by a time-out. */
      readonly mapping?: ReplyMapping;
    }
  /** The turn ended or was cancelled, or the agent took the request back. */
  | { readonly kind: 'cancelled'; readonly at: number; readonly reason: string }
  /** The agent process that asked is gone: nobody can be answered any more. */
  | { readonly kind: 'void'; readonly at: number; readonly reason: string };

/** `GET /v1/requests/{id}`; `GET /v1/requests` gives `{requests}`, oldest first. */
export interface RequestInfo {
  readonly id: RequestId;
  readonly sessionId: SessionId;
  readonly kind: RequestKind;
  readonly method: string;
  /** Of the agent's own request: the newest event of the session's log that has it is the request. */
  readonly rpcId?: JsonRpcId;
  /** Of the agent's own request, as they came. */
  readonly params: unknown;
  /** What it asks, whichever method asked; missing where that is not one question: then `params` say it. */
  readonly question?: Question;
  readonly createdAt: number;
  readonly state: RequestState;
}

/**
 * The body of `POST /v1/requests/{id}/answer`, which gives `{request}`. What does not fit what was asked is refused
 * (`not_offered`), and the request goes on waiting.
 */
export type RequestAnswer =
  /** To a permission: mapped to the nearest option that was offered, see `mapping`. `reject` turns anything down. */
  | { readonly reply: 'once' | 'always' | 'reject' }
  /** An option of a permission, or the one that answers a question. */
  | { readonly optionId: string }
  /** To a question, whichever method asked. */
  | { readonly answers: readonly QuestionAnswer[] }
  /** What is filled into the form of an elicitation; `{}` for one that shows a URL. */
  | { readonly content: JsonObject }
  /** Turns it down; a reason is told to the agent. */
  | { readonly reject: true | string }
  /** To a review: what was asked, or less. `reply` answers it too: `once` for this session, `always` for this project. */
  | ReviewResult
  /** The JSON-RPC result that the agent is to be sent. */
  | { readonly result: unknown };
