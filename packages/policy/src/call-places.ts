import { isObject } from '@reeve/protocol';

/** A member or item, and what it stands in: written out only where somebody is told. */
export interface Where {
  readonly in: Where | undefined;
  readonly key: string | number;
}

/** One text of a call. */
export interface Place {
  readonly text: string;
  /** Name of the nearest argument around it; empty for the name of a member. */
  readonly name: string;
  readonly at: Where;
  /** The member of `_meta` around it that the call can do without. */
  readonly meta?: string;
  /** It stands in a text that is JSON itself, which some servers read and others take for a text. */
  readonly quoted: boolean;
}

/** Members of `_meta` that MCP 2026-07-28 needs in each request: a request cannot do without them. */
const NEEDED_META = 'io.modelcontextprotocol/';

/** Whether a request can do without this member of its `_meta`. */
export function isOptionalMeta(member: string): boolean {
  return member !== 'progressToken' && !member.startsWith(NEEDED_META);
}

/** What is only told apart or handed back, and by which methods: the name of a tool, and what the server wants to hear again. */
const NO_PATH: Readonly<Record<string, ReadonlySet<string>>> = {
  'tools/call': new Set(['name', 'requestState']),
  'prompts/get': new Set(['name', 'requestState']),
  'resources/read': new Set(['requestState']),
};
/** Text that is written into a file, or sought there: it may begin with a slash. */
const TEXT_NAME = /^(?:contents?|file_?text|text|(?:old|new)_?(?:text|str|string)|insert_?text)$/i;
/** JSON within JSON within JSON. */
const MAX_QUOTED = 3;
const MAX_WHERE = 80;

/** How many values may be looked at. */
export interface Budget {
  /** Below zero there were more, and not all texts were found. */
  left: number;
}

/** Every text of the parameters of a request, notification or answer, but what is written into files, as far as the budget goes. */
export function* callPlaces(method: string, params: unknown, budget: Budget): Generator<Place> {
  if (!isObject(params)) return yield* placesIn(params, { name: '', at: undefined }, budget);
  const skipped = Object.hasOwn(NO_PATH, method) ? NO_PATH[method] : undefined;
  for (const member of Object.keys(params)) {
    const value = params[member];
    if (budget.left < 0) return;
    const at: Where = { in: undefined, key: member };
    if (member === '_meta') yield* metaPlaces(value, at, budget);
    else if (member === 'arguments') yield* placesIn(value, { name: '', at: undefined }, budget);
    else if (method === 'completion/complete') yield* completionPlaces(member, value, at, budget);
    else if (typeof value !== 'string' || !skipped?.has(member)) {
      yield { text: member, name: '', at, quoted: false };
      yield* placesIn(value, { name: member, at }, budget);
    }
  }
}

/** Of `completion/complete`, which names a prompt or a template, one of its arguments, and the values of the others. */
function* completionPlaces(member: string, value: unknown, at: Where, budget: Budget): Generator<Place> {
  if (!isObject(value)) return yield* placesIn(value, { name: member, at }, budget);
  const { name, ...rest } = value;
  if (member === 'argument') {
    const { value: text, ...others } = rest;
    const called = typeof name === 'string' ? name : '';
    yield* placesIn(text, { name: called, at: called === '' ? at : { in: undefined, key: called } }, budget);
    return yield* placesIn(typeof name === 'string' ? others : { ...others, name }, { name: '', at }, budget);
  }
  if (member === 'context' && isObject(value.arguments)) {
    const { arguments: given, ...others } = value;
    yield* placesIn(given, { name: '', at: undefined }, budget);
    return yield* placesIn(others, { name: '', at }, budget);
  }
  yield* placesIn(member === 'ref' && typeof name === 'string' ? rest : value, { name: '', at }, budget);
}

function* metaPlaces(meta: unknown, at: Where, budget: Budget): Generator<Place> {
  if (!isObject(meta)) return yield* placesIn(meta, { name: '', at }, budget);
  for (const key of Object.keys(meta)) {
    const value = meta[key];
    if (budget.left < 0) return;
    // The server never sees it: each request to it has a token of Reeve.
    if (key === 'progressToken' && (typeof value === 'string' || typeof value === 'number')) continue;
    const place = { name: key, at: { in: at, key }, ...(isOptionalMeta(key) ? { meta: key } : {}) };
    yield { ...place, text: key, name: '', quoted: false };
    yield* placesIn(value, place, budget);
  }
}

interface Open {
  readonly value: unknown;
  readonly name: string;
  readonly at: Where | undefined;
  readonly quoted: number;
}

interface Outside {
  readonly name: string;
  readonly at: Where | undefined;
  readonly meta?: string;
}

const NOWHERE: Where = { in: undefined, key: '' };

/** Every text of a JSON value, names of members too. Not by recursion: JSON may be nested deeper than the stack is. */
function* placesIn(whole: unknown, { name: first, at: outside, meta }: Outside, budget: Budget): Generator<Place> {
  const optional = meta === undefined ? {} : { meta };
  const open: Open[] = [{ value: whole, name: first, at: outside, quoted: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name, at, quoted } = next;
    // What waits counts too: a list may be longer than what is left.
    if (--budget.left < open.length) budget.left = -1;
    if (budget.left < 0) return;
    if (typeof value === 'string') {
      if (TEXT_NAME.test(name)) continue;
      yield { text: value, name, at: at ?? NOWHERE, quoted: quoted > 0, ...optional };
      const inner = quoted < MAX_QUOTED ? quotedJson(value) : undefined;
      if (inner !== undefined) open.push({ value: inner, name, at, quoted: quoted + 1 });
    } else if (Array.isArray(value)) {
      for (let key = 0; key < value.length && open.length <= budget.left; key += 1)
        if (holdsText(value[key])) open.push({ value: value[key], name, at: { in: at, key }, quoted });
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const item = value[key];
        if (--budget.left < open.length) break;
        const below: Where = { in: at, key };
        yield { text: key, name: '', at: below, quoted: quoted > 0, ...optional };
        if (holdsText(item)) open.push({ value: item, name: key, at: below, quoted });
      }
    }
  }
}

function holdsText(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Models give lists and objects as text, and servers take them so. */
function quotedJson(text: string): unknown {
  if (!/^\s*(?:\[.*\]|\{.*\}|".*")\s*$/s.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For people: `edits[0].path`. Names that came are cut, control characters left out. */
export function whereText(at: Where): string {
  let text = '';
  const steps: (string | number)[] = [];
  for (let step: Where | undefined = at; step !== undefined; step = step.in) steps.push(step.key);
  for (const key of steps.reverse()) {
    if (text.length > MAX_WHERE) break;
    if (typeof key === 'number') text += `[${key}]`;
    else text += `${text === '' ? '' : '.'}${key.slice(0, 4 * MAX_WHERE).replaceAll(/\p{C}/gu, '')}`;
  }
  return text.length <= MAX_WHERE ? text : `${text.slice(0, MAX_WHERE - 1)}…`;
}
