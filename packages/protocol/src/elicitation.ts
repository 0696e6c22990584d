import { checkFormContent } from './elicitation-form.ts';
import { META_KEY, ourMeta } from './extension.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import type { AnswerCheck } from './question.ts';

/** The `result` of `elicitation/create`. */
export type ElicitationResult =
  | { readonly action: 'accept'; readonly content?: JsonObject | null }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** `form`, `url`, or what a newer ACP or somebody's extension calls it. */
export function elicitationMode(params: unknown): string {
  const mode = isObject(params) ? params.mode : undefined;
  return typeof mode === 'string' ? mode : 'form';
}

/**
 * Whether a client can be shown an elicitation of that mode: an object stands for yes, while absent and `null` mean no
 * (ACP, ElicitationCapabilities).
 */
export function servesElicitation(clientCapabilities: JsonObject, mode: string): boolean {
  const { elicitation } = clientCapabilities;
  return isObject(elicitation) && Object.hasOwn(elicitation, mode) && isObject(elicitation[mode]);
}

/** Whether a client can be asked by `_sandboxagent/session/request_question`. */
export function servesQuestions(clientCapabilities: JsonObject): boolean {
  return ourMeta(clientCapabilities).requestQuestion === true;
}

/**
 * What the agent is told of a client, with what Reeve adds: questions can always be asked, they wait for a person where
 * the client cannot show them; and forms where the client can be asked questions, into which they are translated.
 */
export function capabilitiesForAgent(clientCapabilities: JsonObject): JsonObject {
  const { elicitation, _meta } = clientCapabilities;
  const ours = { ...ourMeta(clientCapabilities), requestQuestion: true };
  const asksForms = servesQuestions(clientCapabilities) && !servesElicitation(clientCapabilities, 'form');
  return {
    ...clientCapabilities,
    ...(asksForms ? { elicitation: { ...(isObject(elicitation) ? elicitation : {}), form: {} } } : {}),
    _meta: { ...(isObject(_meta) ? _meta : {}), [META_KEY]: ours },
  };
}

/** Checks the `result` that somebody sent against the `params` of the request; a valid one goes on as it came. */
export function checkElicitationResult(params: unknown, result: unknown): AnswerCheck<ElicitationResult> {
  if (!isObject(result)) return { kind: 'invalid', why: 'the result is an object with "action"' };
  const { action, content } = result;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    return { kind: 'invalid', why: '"action" is "accept", "decline" or "cancel"' };
  }
  const value = result as unknown as ElicitationResult;
  if (action !== 'accept') return { kind: 'ok', value };
  if (content !== undefined && content !== null && !isObject(content)) {
    return { kind: 'invalid', why: '"content" is an object with one member for each field of the form' };
  }
  if (elicitationMode(params) !== 'form') return { kind: 'ok', value };
  const checked = checkFormContent(isObject(params) ? params.requestedSchema : undefined, content ?? {});
  return checked.kind === 'ok' ? { kind: 'ok', value } : checked;
}
