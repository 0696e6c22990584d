import { type ElicitationResult, elicitationMode } from './elicitation.ts';
import { type FormField, readForm } from './elicitation-form.ts';
import { EXTENSION } from './extension.ts';
import { isObject, type JsonObject } from './json-rpc.ts';
import {
  type Question,
  type QuestionAnswer,
  type QuestionOption,
  type QuestionResult,
  readQuestion,
} from './question.ts';

/*
 * A question as an elicitation's form, a form as a question, and the answers of each as those of the other:
 * answered is accept, rejected is decline, cancelled is cancel. Nothing is translated that would lose a field.
 */

/** Fields of the form that a question becomes. */
const CHOICE = 'answer';
const TEXT = 'text';

/** The `requestedSchema` of a question. */
export function formOfQuestion({ options, multiSelect, freeText }: Question): JsonObject {
  const choices = options.map(({ id, label, description }) => ({
    const: id,
    title: label,
    ...(description === undefined ? {} : { description }),
  }));
  const choice = multiSelect
    ? { type: 'array', title: 'Answer', items: { anyOf: choices } }
    : { type: 'string', title: 'Answer', oneOf: choices };
  const beside = multiSelect ? 'Beside what you choose' : 'Instead of choosing';
  const text = { type: 'string', title: 'Your own answer', ...(options.length > 0 ? { description: beside } : {}) };
  const properties = { ...(options.length > 0 ? { [CHOICE]: choice } : {}), ...(freeText ? { [TEXT]: text } : {}) };
  const names = Object.keys(properties);
  const required = names.length === 1 && !multiSelect ? { required: names } : {};
  return { type: 'object', properties, ...required };
}

/** What a client filled into the form of a question, as the answer to the question; unchecked. */
export function questionResultOf(question: Question, result: unknown): unknown {
  const { action, content } = isObject(result) ? result : ({} as JsonObject);
  if (action === 'decline') return { outcome: 'rejected' };
  if (action === 'cancel') return { outcome: 'cancelled' };
  if (action !== 'accept' || !(content == null || isObject(content))) return result;
  const { [CHOICE]: chosen, [TEXT]: text, ...others } = content ?? {};
  if (Object.keys(others).length > 0) return result;
  const many = question.multiSelect && chosen !== undefined;
  if (many && !Array.isArray(chosen)) return result;
  const ids = many ? (chosen as readonly unknown[]) : chosen === undefined ? [] : [chosen];
  // A field that was left empty is no answer, unless nothing else was asked.
  const given = text !== undefined && (text !== '' || question.options.length === 0);
  return { outcome: 'answered', answers: [...ids.map((optionId) => ({ optionId })), ...(given ? [{ text }] : [])] };
}

/** What a request of either method asks, if that is one question. */
export function questionAsked(method: string, params: unknown): Question | undefined {
  if (method === 'elicitation/create') return questionOfForm(params)?.question;
  const reading = method === EXTENSION.requestQuestion ? readQuestion(params) : undefined;
  return reading?.kind === 'ok' ? reading.question : undefined;
}

/** A form that reads as one question: how it reads, and what an answer becomes. */
export interface FormQuestion {
  readonly question: Question;
  /** The answer to the question as the result of the elicitation; unchecked against the form. */
  elicitationResult(result: QuestionResult): ElicitationResult;
}

/**
 * The question that an elicitation's form asks, if it asks one: one field (a choice, choices, yes or no, a text, a
 * number), or a choice with a text field beside it that need not be filled in. Undefined for everything else.
 */
export function questionOfForm(params: unknown): FormQuestion | undefined {
  if (!isObject(params) || typeof params.message !== 'string' || elicitationMode(params) !== 'form') return undefined;
  const fields = readForm(params.requestedSchema);
  const [first, second, ...more] = fields ?? [];
  if (!first || more.length > 0) return undefined;
  const choice = second && first.input.kind === 'text' ? second : first;
  const text = second && (choice === first ? second : first);
  if (text && !(text.input.kind === 'text' && isChoice(choice) && !text.required && !choice.required)) return undefined;
  if (choice.input.kind === 'unknown') return undefined;
  const { title, description } = isObject(params.requestedSchema) ? params.requestedSchema : ({} as JsonObject);
  // A field may say what the message does not; the names of those that a question becomes say nothing more.
  const field = isOurs(choice) ? [] : [choice.title, choice.description];
  const said = [params.message, title, description, ...field].filter((line) => typeof line === 'string' && line !== '');
  const question = {
    prompt: [...new Set(said)].join('\n'),
    options: optionsOf(choice),
    multiSelect: choice.input.kind === 'choices',
    freeText: text !== undefined || isTyped(choice),
  };
  return {
    question,
    elicitationResult(result) {
      if (result.outcome === 'rejected') return { action: 'decline' };
      if (result.outcome === 'cancelled') return { action: 'cancel' };
      return { action: 'accept', content: contentOf(choice, text ?? choice, result.answers) };
    },
  };
}

function contentOf(choice: FormField, text: FormField, answers: readonly QuestionAnswer[]): JsonObject {
  const ids = answers.flatMap((answer) => ('optionId' in answer ? [answer.optionId] : []));
  const texts = answers.flatMap((answer) => ('text' in answer ? [answer.text] : []));
  const content: [string, unknown][] = [];
  if (choice.input.kind === 'choices') content.push([choice.name, ids]);
  else if (choice.input.kind === 'boolean') content.push([choice.name, ids[0] === 'true']);
  else if (ids[0] !== undefined) content.push([choice.name, ids[0]]);
  if (texts[0] !== undefined) content.push([text.name, typedValue(text, texts[0])]);
  return Object.fromEntries(content);
}

const YES_OR_NO: readonly QuestionOption[] = [
  { id: 'true', label: 'Yes' },
  { id: 'false', label: 'No' },
];

function optionsOf({ input }: FormField): readonly QuestionOption[] {
  if (input.kind === 'choice' || input.kind === 'choices') return input.options;
  return input.kind === 'boolean' ? YES_OR_NO : [];
}

/** A number that was typed as JSON would have it; any other text stays one, for the form's own check to refuse. */
function typedValue({ input }: FormField, text: string): unknown {
  const isNumber = input.kind === 'number' || input.kind === 'integer';
  return isNumber && /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(text) ? Number(text) : text;
}

function isChoice({ input }: FormField): boolean {
  return input.kind === 'choice' || input.kind === 'choices';
}

function isTyped({ input }: FormField): boolean {
  return input.kind === 'text' || input.kind === 'number' || input.kind === 'integer';
}

/** A field of `formOfQuestion`. */
function isOurs({ name, title, input }: FormField): boolean {
  return input.kind === 'text' ? name === TEXT && title === 'Your own answer' : name === CHOICE && title === 'Answer';
}
