import {
  checkAnswers,
  checkElicitationResult,
  checkPermissionResult,
  checkQuestionResult,
  elicitationMode,
  isObject,
  type JsonObject,
  offeredBy,
  type PermissionVerdict,
  permissionResult,
  type QuestionAnswer,
  questionAsked,
  questionOfForm,
  questionStatus,
  type ReplyMapping,
  type RequestAnswer,
  withOurMeta,
} from '@reeve/protocol';
import { checkReview } from './check-review.ts';
import type { Answering, CheckedAnswer } from './checked-answer.ts';
import type { StoredRequest } from './request-store.ts';

/** The result of a request that nobody answered in time. */
export interface LateAnswer {
  readonly result: unknown;
  readonly mapping?: ReplyMapping;
}

const TOO_LATE = 'nobody answered in time';

/** Checks an answer against what was asked. What else a client put into its result (`_meta`) goes on to the agent. */
export function checkAnswer(request: StoredRequest, answer: RequestAnswer, answerer: Answering): CheckedAnswer {
  if (request.kind === 'review') return checkReview(request, answer, answerer);
  if (request.kind === 'permission') return checkPermission(request, answer);
  return request.kind === 'question' ? checkQuestion(request, answer) : checkElicitation(request, answer);
}

/**
 * For a permission an option that rejects, since `cancelled` means that the turn was (ACP, session/cancel); that only
 * where no such option is offered. For a question that it was turned down. A review is denied.
 */
export function answerTooLate(request: StoredRequest): LateAnswer {
  if (request.kind === 'review') return { result: { decision: 'deny', reason: TOO_LATE } };
  if (request.kind !== 'permission') return { result: turnedDown(request, TOO_LATE) };
  const verdict = permissionResult(optionsOf(request), { reply: 'reject' });
  if (verdict.kind === 'ok') return { result: verdict.result, mapping: mappingOf('reject', verdict) };
  return { result: { outcome: { outcome: 'cancelled' } }, mapping: { asked: 'reject', nearest: false } };
}

function checkPermission(request: StoredRequest, answer: RequestAnswer): CheckedAnswer {
  const options = optionsOf(request);
  if ('result' in answer) {
    const checked = checkPermissionResult(options, answer.result);
    return checked.kind === 'ok' ? { kind: 'ok', result: answer.result } : refusedPermission(checked);
  }
  const asked = 'reject' in answer ? 'reject' : 'reply' in answer ? answer.reply : undefined;
  if (asked === undefined && !('optionId' in answer))
    return refusedPermission(permissionResult(options, { outcome: null }));
  const verdict = permissionResult(options, asked === undefined ? (answer as { optionId: string }) : { reply: asked });
  if (verdict.kind !== 'ok') return refusedPermission(verdict);
  const reason = 'reject' in answer && typeof answer.reject === 'string' ? { reason: answer.reject } : undefined;
  const result = reason ? withOurMeta(verdict.result as unknown as JsonObject, reason) : verdict.result;
  return { kind: 'ok', result, ...(asked === undefined ? {} : { mapping: mappingOf(asked, verdict) }) };
}

function refusedPermission(verdict: PermissionVerdict): CheckedAnswer {
  const offered = verdict.kind === 'not_offered' ? verdict.offered : [];
  return { kind: 'not_offered', offered, why: 'the answer is none of those that the agent offered' };
}

function mappingOf(asked: ReplyMapping['asked'], verdict: PermissionVerdict & { kind: 'ok' }): ReplyMapping {
  return { asked, ...(verdict.chosen ? { chosen: verdict.chosen } : {}), nearest: verdict.nearest };
}

function checkQuestion(request: StoredRequest, answer: RequestAnswer): CheckedAnswer {
  const question = questionAsked(request.method, request.params);
  // What is no question is not taken up; one that a newer version stored can still be turned down.
  const offered = question ? offeredBy(question) : [];
  if (isRejection(answer)) return { kind: 'ok', result: turnedDown(request, reasonOf(answer)) };
  if (!question) return { kind: 'not_offered', offered, why: 'the question cannot be read: it can only be rejected' };
  const result = 'result' in answer ? answer.result : answered(answer);
  if (result === undefined) return { kind: 'not_offered', offered, why: 'a question takes {"answers": […]}' };
  const checked = checkQuestionResult(question, result);
  if (checked.kind === 'invalid') return { kind: 'not_offered', offered, why: checked.why };
  return { kind: 'ok', result: 'result' in answer ? result : bridged(request, result as JsonObject) };
}

function checkElicitation(request: StoredRequest, answer: RequestAnswer): CheckedAnswer {
  if (isRejection(answer)) return { kind: 'ok', result: turnedDown(request, reasonOf(answer)) };
  const read = questionOfForm(request.params);
  const offered = read ? offeredBy(read.question) : elicitationOffers(request.params);
  const built = 'result' in answer ? answer.result : elicitationResult(read, answer, request.params);
  if (typeof built === 'string') return { kind: 'not_offered', offered, why: built };
  const checked = checkElicitationResult(request.params, built);
  if (checked.kind === 'invalid') return { kind: 'not_offered', offered, why: checked.why };
  return { kind: 'ok', result: 'result' in answer ? built : bridged(request, built as JsonObject) };
}

/** The result, or why there is none. */
function elicitationResult(
  read: ReturnType<typeof questionOfForm>,
  answer: RequestAnswer,
  params: unknown,
): JsonObject | string {
  if ('content' in answer) {
    if (elicitationMode(params) === 'form') return { action: 'accept', content: answer.content };
    return Object.keys(answer.content).length === 0
      ? { action: 'accept' }
      : 'there is no form to fill in: "content" is {}';
  }
  const given = answered(answer);
  if (!read || given === undefined) return 'the form takes {"content": {…}} with one member for each field';
  const checked = checkAnswers(read.question, given.answers);
  if (checked.kind === 'invalid') return checked.why;
  return read.elicitationResult({ outcome: 'answered', answers: checked.value }) as unknown as JsonObject;
}

function answered(answer: RequestAnswer): { outcome: 'answered'; answers: readonly QuestionAnswer[] } | undefined {
  if ('answers' in answer) return { outcome: 'answered', answers: answer.answers };
  return 'optionId' in answer ? { outcome: 'answered', answers: [{ optionId: answer.optionId }] } : undefined;
}

function isRejection(answer: RequestAnswer): boolean {
  return 'reject' in answer || ('reply' in answer && answer.reply === 'reject');
}

function reasonOf(answer: RequestAnswer): string | undefined {
  return 'reject' in answer && typeof answer.reject === 'string' ? answer.reject : undefined;
}

function turnedDown(request: StoredRequest, reason: string | undefined): JsonObject {
  if (request.kind === 'question')
    return bridged(request, { outcome: 'rejected', ...(reason === undefined ? {} : { reason }) });
  const result = bridged(request, { action: 'decline' });
  return reason === undefined ? result : withOurMeta(result, { reason });
}

/** What the agent is told when its request ends without an answer, as the method has it. */
export function cancelledAnswer(request: StoredRequest): JsonObject {
  if (request.kind === 'permission') return { outcome: { outcome: 'cancelled' } };
  return bridged(request, request.kind === 'question' ? { outcome: 'cancelled' } : { action: 'cancel' });
}

/** A result of ours, with what ties it to the question for who knows the older interface (session surface 3.2). */
export function bridged(request: StoredRequest, result: JsonObject): JsonObject {
  return withOurMeta(result, { questionId: questionIdOf(request), status: questionStatus(result) });
}

/** The id that the agent gave its question; an elicitation has none, and goes by that of the request. */
export function questionIdOf({ id, kind, params }: StoredRequest): string {
  return kind === 'question' && isObject(params) && typeof params.questionId === 'string' ? params.questionId : id;
}

function elicitationOffers(params: unknown): readonly string[] {
  if (elicitationMode(params) !== 'form') return ['{"content": {}}', '{"reject": true}'];
  const schema = isObject(params) ? params.requestedSchema : undefined;
  const fields = isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return [`{"content": {${fields.map((name) => `${JSON.stringify(name)}: …`).join(', ')}}}`, '{"reject": true}'];
}

function optionsOf({ params }: StoredRequest): unknown {
  return isObject(params) ? params.options : undefined;
}
