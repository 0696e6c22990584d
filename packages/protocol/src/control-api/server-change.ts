import type { BoundaryAccess } from '../boundary.ts';
import type { SessionId } from '../ids.ts';
import type { RequestInfo } from './request-info.ts';
import type { SessionInfo } from './session-info.ts';

/*
 * Of the control API (`/v1`), as JSON. Times are milliseconds since the epoch. Readers keep members that they do not know.
 */

/**
 * One event of `GET /v1/events`: what changed on the server, whole, so that nobody needs to ask again. Told at least once; what
 * changed twice in a short time is told as it is then. Readers pass over kinds that they do not know.
 */
export type ServerChange =
  /** What changed before is not told: read again what you show. The first event, unless the reader resumes where it was. */
  | { readonly kind: 'resync' }
  | { readonly kind: 'session.changed'; readonly session: SessionInfo }
  | { readonly kind: 'session.removed'; readonly sessionId: SessionId }
  | { readonly kind: 'request.opened'; readonly request: RequestInfo }
  | { readonly kind: 'request.resolved'; readonly request: RequestInfo }
  /** Told with the `session.changed` that has the boundary itself. */
  | { readonly kind: 'boundary.changed'; readonly sessionId: SessionId; readonly revision: number }
  | { readonly kind: 'alarm'; readonly alarm: AlarmNotice };

/** A server or agent reached for what it may not have. Which path is told by `GET /v1/alarms`, as the audit log has it. */
export interface AlarmNotice {
  readonly at: number;
  readonly sessionId?: SessionId;
  readonly server: string;
  readonly access: BoundaryAccess;
  readonly by: 'server' | 'agent';
  readonly tool?: string;
  /** How many alike it stands for. */
  readonly count: number;
}
