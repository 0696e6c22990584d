import {
  checkQuestionResult,
  EXTENSION,
  elicitationMode,
  formOfQuestion,
  isObject,
  type JsonObject,
  type QuestionResult,
  questionAsked,
  questionOfForm,
  questionResultOf,
  servesElicitation,
  servesQuestions,
} from '@reeve/protocol';
import type { StoredRequest } from '../requests/request-store.ts';

/** How a client is asked. */
export type AskedForm =
  /** As the agent asked. */
  | { readonly kind: 'own' }
  /** By the other method of the two that ask questions. */
  | {
      readonly kind: 'translated';
      readonly method: string;
      /** Without the session's id and what stands under our key of `_meta`. */
      readonly params: JsonObject;
      /** What the client answered, as the agent's own method would have it; unchecked. */
      readonly resultForAgent: (result: unknown) => unknown;
    };

const OWN: AskedForm = { kind: 'own' };

/**
 * How a client with these capabilities can be asked: as the agent asked if it can, else in the other form if that says
 * the same; undefined when it cannot be asked and the request waits for others.
 */
export function askedForm({ kind, method, params }: StoredRequest, capabilities: JsonObject): AskedForm | undefined {
  if (kind === 'permission') return OWN;
  if (kind === 'question') {
    if (servesQuestions(capabilities)) return OWN;
    return servesElicitation(capabilities, 'form') ? asElicitation(method, params) : undefined;
  }
  if (servesElicitation(capabilities, elicitationMode(params))) return OWN;
  return servesQuestions(capabilities) ? asQuestion(params) : undefined;
}

function asElicitation(method: string, params: unknown): AskedForm | undefined {
  const question = questionAsked(method, params);
  return (
    question && {
      kind: 'translated',
      method: 'elicitation/create',
      params: { mode: 'form', message: question.prompt, requestedSchema: formOfQuestion(question), ...metaOf(params) },
      resultForAgent: (result) => questionResultOf(question, result),
    }
  );
}

function asQuestion(params: unknown): AskedForm | undefined {
  const form = questionOfForm(params);
  if (!form) return undefined;
  const { prompt, options, multiSelect, freeText } = form.question;
  return {
    kind: 'translated',
    method: EXTENSION.requestQuestion,
    params: { prompt, options, multiSelect, freeText, ...metaOf(params) },
    resultForAgent: (result) => {
      const checked = checkQuestionResult(form.question, result);
      return checked.kind === 'ok' ? form.elicitationResult(checked.value as QuestionResult) : result;
    },
  };
}

/** The `_meta` of others is kept. */
function metaOf(params: unknown): JsonObject {
  return isObject(params) && isObject(params._meta) ? { _meta: params._meta } : {};
}
