import { isObject, type JsonObject } from './json-rpc.ts';
import { type AnswerCheck, type QuestionOption, questionOption } from './question.ts';

/** One field of an elicitation's form (ACP, ElicitationPropertySchema). */
export interface FormField {
  readonly name: string;
  readonly required: boolean;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly input:
    | { readonly kind: 'choice'; readonly options: readonly QuestionOption[] }
    | { readonly kind: 'choices'; readonly options: readonly QuestionOption[] }
    | { readonly kind: 'text' }
    | { readonly kind: 'number' }
    | { readonly kind: 'integer' }
    | { readonly kind: 'boolean' }
    /** A type of a newer ACP, or one that is malformed: what is given for it cannot be checked. */
    | { readonly kind: 'unknown' };
  /** The schema as it came. */
  readonly schema: JsonObject;
}

/** The fields of a `requestedSchema`; undefined when it is no schema of a form. */
export function readForm(requestedSchema: unknown): readonly FormField[] | undefined {
  if (!isObject(requestedSchema)) return undefined;
  const { properties = {}, required } = requestedSchema;
  if (!isObject(properties)) return undefined;
  const needed = new Set(Array.isArray(required) ? (required as readonly unknown[]) : []);
  return Object.entries(properties).map(([name, property]) => {
    const schema = isObject(property) ? property : {};
    return {
      name,
      required: needed.has(name),
      title: textOf(schema.title),
      description: textOf(schema.description),
      input: inputOf(schema),
      schema,
    };
  });
}

/**
 * Checks what was filled in: no field that was not asked for, none missing that is required, types, choices, lengths,
 * ranges, and formats as far as one can tell by looking. `pattern` is left to the agent: a regular expression of its
 * own could hold the server up.
 */
export function checkFormContent(requestedSchema: unknown, content: JsonObject): AnswerCheck<JsonObject> {
  const fields = readForm(requestedSchema);
  if (!fields) return { kind: 'ok', value: content };
  const asked = new Set(fields.map(({ name }) => name));
  for (const name of Object.keys(content)) {
    if (!asked.has(name)) return invalid(`${shown(name)}: not asked for`);
  }
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
    if (value === undefined) {
      if (field.required) return invalid(`${shown(field.name)}: required`);
      continue;
    }
    const expected = expectedOf(field, value);
    if (expected !== undefined) return invalid(`${shown(field.name)}: expected ${expected}`);
  }
  return { kind: 'ok', value: content };
}

/** What was expected there; undefined when the value will do. */
function expectedOf({ input, schema }: FormField, value: unknown): string | undefined {
  switch (input.kind) {
    case 'choice':
      return input.options.some(({ id }) => id === value) ? undefined : `one of ${ids(input.options)}`;
    case 'choices': {
      const offered = new Set<unknown>(input.options.map(({ id }) => id));
      const chosen = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
      if (!chosen?.every((one) => offered.has(one)) || new Set(chosen).size < chosen.length)
        return `a list of some of ${ids(input.options)}`;
      return outside(chosen.length, schema.minItems, schema.maxItems, 'choices');
    }
    case 'text': {
      if (typeof value !== 'string') return 'text';
      return outside([...value].length, schema.minLength, schema.maxLength, 'characters') ?? misformed(schema, value);
    }
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number';
      if (input.kind === 'integer' && !Number.isInteger(value)) return 'a whole number';
      return outside(value, schema.minimum, schema.maximum, 'as value');
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false';
    case 'unknown':
      return undefined;
  }
}

function inputOf(schema: JsonObject): FormField['input'] {
  switch (schema.type) {
    case 'string': {
      if (schema.enum == null && schema.oneOf == null) return { kind: 'text' };
      const options = choicesOf(schema.oneOf, schema.enum);
      return options ? { kind: 'choice', options } : { kind: 'unknown' };
    }
    case 'array': {
      const items = isObject(schema.items) ? schema.items : {};
      const options = choicesOf(items.anyOf ?? items.oneOf, items.enum);
      return options ? { kind: 'choices', options } : { kind: 'unknown' };
    }
    case 'number':
      return { kind: 'number' };
    case 'integer':
      return { kind: 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    default:
      return { kind: 'unknown' };
  }
}

/** Titled choices, else plain ones; undefined when neither is a list of those. */
function choicesOf(titled: unknown, plain: unknown): readonly QuestionOption[] | undefined {
  const found = Array.isArray(titled) ? titled : plain;
  if (!Array.isArray(found)) return undefined;
  const options = new Map<string, QuestionOption>();
  for (const one of found as readonly unknown[]) {
    const id = isObject(one) ? one.const : one;
    if (typeof id !== 'string') return undefined;
    const { title, description } = isObject(one) ? one : ({} as JsonObject);
    if (!options.has(id)) options.set(id, questionOption(id, textOf(title) ?? id, description));
  }
  return [...options.values()];
}

function ids(options: readonly QuestionOption[]): string {
  return options.map(({ id }) => JSON.stringify(id)).join(', ');
}

function outside(value: number, low: unknown, high: unknown, what: string): string | undefined {
  if (typeof low === 'number' && value < low) return `at least ${low} ${what}`;
  if (typeof high === 'number' && value > high) return `at most ${high} ${what}`;
  return undefined;
}

function misformed({ format }: JsonObject, value: string): string | undefined {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(value) ? undefined : 'an e-mail address';
    case 'uri':
      return URL.canParse(value) ? undefined : 'a URI';
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? undefined : 'a date: YYYY-MM-DD';
    case 'date-time':
      return /^\d{4}-\d\d-\d\d[Tt ]/.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'a date and time as ISO 8601 has it';
    default:
      return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function invalid(why: string): { readonly kind: 'invalid'; readonly why: string } {
  return { kind: 'invalid', why };
}
