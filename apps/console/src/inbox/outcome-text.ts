import type { RequestInfo } from '@reeve/client';
import { isObject } from '@reeve/protocol';
import { objectMember, textMember } from '../data/json-members.ts';
import { isOwnAnswer } from './own-answers.ts';
import { permissionOptions } from './permission-options.ts';

/** How a request stands, as a sentence: what was answered, and by whom. */
export function outcomeText(request: RequestInfo): string {
  const { state } = request;
  switch (state.kind) {
    case 'pending':
      return 'It waits for an answer.';
    case 'answered':
      return `${answerText(request, state.result)}, by ${answererText(request.id, state.by)}.`;
    case 'cancelled':
      return `Cancelled: ${state.reason}.`;
    case 'void':
      return `Nobody can be answered any more: ${state.reason}.`;
  }
}

function answererText(requestId: string, by: string): string {
  if (isOwnAnswer(requestId)) return 'you';
  return by === 'http-api' ? 'a program that did not say which' : by;
}

function answerText(request: RequestInfo, result: unknown): string {
  const outcome = objectMember(result, 'outcome');
  const optionId = textMember(outcome, 'optionId');
  if (optionId !== undefined) {
    const option = permissionOptions(request.params).find((candidate) => candidate.optionId === optionId);
    return `Answered “${option?.name ?? optionId}”`;
  }
  if (outcome.outcome === 'cancelled') return 'Cancelled';
  const decision = textMember(result, 'decision');
  if (decision !== undefined) return decision === 'approve' ? 'Approved' : 'Denied';
  const word = textMember(result, 'outcome') ?? textMember(result, 'action');
  if (word === 'rejected' || word === 'decline') return 'Turned down';
  if (word === 'cancelled' || word === 'cancel') return 'Cancelled';
  return isObject(result) ? 'Answered' : 'Closed';
}
