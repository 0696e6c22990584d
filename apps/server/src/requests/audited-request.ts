import { isObject, questionStatus, type RequestState, type ReviewParams } from '@reeve/protocol';
import type { AuditFact, ToolFact } from '../audit/audit-fact.ts';
import type { FactPlace } from '../audit/fact-parts.ts';
import type { TraceId } from '../audit/trace-id.ts';
import type { StoredRequest } from './request-store.ts';

type Settled = Exclude<RequestState, { kind: 'pending' }>;

/** What the audit log has of a request that a person was asked: no text of it, no argument, no path in the clear. */
export function askedFact(request: StoredRequest): AuditFact {
  return {
    kind: 'request.asked',
    ...whatOf(request),
    offered: optionsOf(request).map(({ kind }) => kind),
    locations: locationsOf(request),
  };
}

/** `by`: who settled it; `late`: Reeve did, since nobody answered in time; `answerTrace`: that which they named. */
export function settledFact(
  request: StoredRequest,
  state: Settled,
  by: { readonly label: string; readonly late: boolean; readonly answerTrace?: TraceId | undefined } | undefined,
): AuditFact {
  const what = whatOf(request);
  if (state.kind !== 'answered') {
    return { kind: 'request.ended', ...what, decision: state.kind, reason: state.reason };
  }
  const decided = decisionIn(request, state.result);
  if (by?.late) return { kind: 'request.timed_out', ...what, ...decided };
  const locations = locationsOf(request);
  const named = by?.answerTrace === undefined ? {} : { answerTrace: by.answerTrace };
  return { kind: 'request.answered', ...what, ...decided, by: by?.label ?? state.by, locations, ...named };
}

function whatOf(request: StoredRequest) {
  const tool = toolOf(request);
  return { session: request.sessionId, request: request.id, asked: request.kind, ...(tool ? { tool } : {}) };
}

function decisionIn(request: StoredRequest, result: unknown): { readonly decision: string; readonly option?: string } {
  if (request.kind === 'permission') return decisionOf(request, result);
  if (request.kind !== 'review') return { decision: questionStatus(result) };
  return { decision: isObject(result) && result.decision === 'approve' ? 'allow' : 'deny' };
}

/** ACP, tool calls, requesting permission: `allow` and `deny` by the kind of the chosen option. */
function decisionOf(request: StoredRequest, result: unknown): { readonly decision: string; readonly option?: string } {
  const outcome = isObject(result) && isObject(result.outcome) ? result.outcome : {};
  if (outcome.outcome !== 'selected') return { decision: 'cancelled' };
  const option = optionsOf(request).find(({ id }) => id === outcome.optionId)?.kind ?? 'other';
  const decision = option.startsWith('allow') ? 'allow' : option.startsWith('reject') ? 'deny' : 'other';
  return { decision, option };
}

function optionsOf({ params }: StoredRequest): { readonly id: unknown; readonly kind: string }[] {
  const options = isObject(params) && Array.isArray(params.options) ? params.options : [];
  return options
    .filter(isObject)
    .map(({ optionId, kind }) => ({ id: optionId, kind: typeof kind === 'string' ? kind : 'other' }));
}

/** The kind that ACP has for a call, and the name that some agents give under `_meta`; never the title, which may hold arguments. */
function toolOf({ params }: StoredRequest): ToolFact | undefined {
  const call = isObject(params) && isObject(params.toolCall) ? params.toolCall : undefined;
  if (!call) return undefined;
  const kind = typeof call.kind === 'string' ? { kind: call.kind } : {};
  const theirs = isObject(call._meta) ? Object.values(call._meta).filter(isObject) : [];
  const name = [call, ...theirs].map(({ toolName }) => toolName).find((value) => typeof value === 'string');
  return { ...kind, ...(name === undefined ? {} : { name: name as string }) };
}

/** The files that the agent says the call is about, or the roots that a review is about. */
function locationsOf({ kind, params }: StoredRequest): readonly FactPlace[] {
  if (kind === 'review') return ((params as ReviewParams).roots ?? []).map(({ path, access }) => ({ path, access }));
  const call = isObject(params) && isObject(params.toolCall) ? params.toolCall : {};
  const locations = Array.isArray(call.locations) ? call.locations : [];
  return locations.filter(isObject).flatMap(({ path }) => (typeof path === 'string' ? [{ path }] : []));
}
