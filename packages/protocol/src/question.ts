import { isObject, type JsonObject } from './json-rpc.ts';

export interface QuestionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

/** A question to a person, in the one shape in which people are shown it, whichever method asked. */
export interface Question {
  readonly prompt: string;
  readonly options: readonly QuestionOption[];
  /** More than one answer may be given, and none at all. */
  readonly multiSelect: boolean;
  /** A text may be given; one answer like any other. */
  readonly freeText: boolean;
}

export type QuestionAnswer = { readonly optionId: string } | { readonly text: string };

/** The `result` of `_sandboxagent/session/request_question`. */
export type QuestionResult =
  | { readonly outcome: 'answered'; readonly answers: readonly QuestionAnswer[] }
  | { readonly outcome: 'rejected'; readonly reason?: string }
  | { readonly outcome: 'cancelled' };

/** How a question stands, in the words of the older interface (session surface 3.2, legacy status mapping). */
export type QuestionStatus = 'pending' | 'answered' | 'rejected' | 'cancelled';

export type AnswerCheck<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** `why` says what was expected. */
  | { readonly kind: 'invalid'; readonly why: string };

export type QuestionReading =
  | { readonly kind: 'ok'; readonly questionId: string; readonly question: Question }
  | { readonly kind: 'invalid'; readonly why: string };

/**
 * Reads the params of `_sandboxagent/session/request_question`. Of two options with one id the first counts; a question
 * without options takes a text, or nothing could answer it.
 */
export function readQuestion(params: unknown): QuestionReading {
  if (!isObject(params)) return { kind: 'invalid', why: 'params: an object' };
  const { questionId, prompt, options = [] } = params;
  if (typeof questionId !== 'string' || questionId === '') return { kind: 'invalid', why: 'questionId: required text' };
  if (typeof prompt !== 'string') return { kind: 'invalid', why: 'prompt: required text' };
  if (!Array.isArray(options)) return { kind: 'invalid', why: 'options: a list of {id, label, description?}' };
  const byId = new Map<string, QuestionOption>();
  for (const option of options as readonly unknown[]) {
    if (!isObject(option) || typeof option.id !== 'string' || typeof option.label !== 'string')
      return { kind: 'invalid', why: 'options: each is {id, label, description?}' };
    if (!byId.has(option.id)) byId.set(option.id, questionOption(option.id, option.label, option.description));
  }
  return {
    kind: 'ok',
    questionId,
    question: {
      prompt,
      options: [...byId.values()],
      multiSelect: params.multiSelect === true,
      freeText: params.freeText === true || byId.size === 0,
    },
  };
}

export function questionOption(id: string, label: string, description: unknown): QuestionOption {
  return { id, label, ...(typeof description === 'string' ? { description } : {}) };
}

/** The answers, if they are to what was asked. */
export function checkAnswers(question: Question, answers: unknown): AnswerCheck<readonly QuestionAnswer[]> {
  if (!Array.isArray(answers)) return invalid('"answers" is a list of {"optionId": …} or {"text": …}');
  const value: QuestionAnswer[] = [];
  const offered = new Set(question.options.map(({ id }) => id));
  const chosen = new Set<string>();
  let texts = 0;
  for (const answer of answers as readonly unknown[]) {
    if (!isObject(answer)) return invalid('each answer is {"optionId": …} or {"text": …}');
    const { optionId, text } = answer;
    if (typeof optionId === 'string' && text === undefined) {
      if (!offered.has(optionId)) return invalid('the option is none of those offered');
      if (chosen.has(optionId)) return invalid('each option is chosen once');
      chosen.add(optionId);
      value.push({ optionId });
    } else if (typeof text === 'string' && optionId === undefined) {
      if (!question.freeText) return invalid('the question takes no text of your own: choose an option');
      texts += 1;
      if (texts > 1) return invalid('one text is all');
      value.push({ text });
    } else return invalid('each answer is {"optionId": …} or {"text": …}');
  }
  if (value.length > 1 && !question.multiSelect) return invalid('the question takes one answer');
  if (value.length === 0 && !question.multiSelect)
    return invalid('the question takes an answer: give one, or reject it');
  return { kind: 'ok', value };
}

/** Checks the `result` that a client sent; a valid one goes on as it came. */
export function checkQuestionResult(question: Question, result: unknown): AnswerCheck<QuestionResult> {
  if (!isObject(result)) return invalid('the result is an object with "outcome"');
  switch (result.outcome) {
    case 'answered': {
      const checked = checkAnswers(question, result.answers);
      return checked.kind === 'ok' ? { kind: 'ok', value: result as unknown as QuestionResult } : checked;
    }
    case 'rejected':
      if (result.reason !== undefined && typeof result.reason !== 'string') return invalid('"reason" is text');
      return { kind: 'ok', value: result as unknown as QuestionResult };
    case 'cancelled':
      return { kind: 'ok', value: result as unknown as QuestionResult };
    default:
      return invalid('"outcome" is "answered", "rejected" or "cancelled"');
  }
}

/** What may be given for an answer, for whoever gave another one. */
export function offeredBy({ options, freeText }: Question): readonly string[] {
  return [...options.map(({ id }) => id), ...(freeText ? ['{"text": …}'] : [])];
}

/** The status of a result of either method; anything that is none counts as cancelled. */
export function questionStatus(result: unknown): Exclude<QuestionStatus, 'pending'> {
  const { outcome, action } = isObject(result) ? result : ({} as JsonObject);
  if (outcome === 'answered' || action === 'accept') return 'answered';
  if (outcome === 'rejected' || action === 'decline') return 'rejected';
  return 'cancelled';
}

function invalid(why: string): { readonly kind: 'invalid'; readonly why: string } {
  return { kind: 'invalid', why };
}
