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
  readonly meta: string | undefined;
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
const TEXT_NAMES: ReadonlySet<string> = new Set([
  ...['content', 'contents', 'text'],
  ...['file text', 'insert text', 'old text', 'old str', 'old string', 'new text', 'new str', 'new string'].flatMap(
    (words) => ['', '_'].map((between) => words.replace(' ', between)),
  ),
]);
/** JSON within JSON within JSON. */
const MAX_QUOTED = 3;
const MAX_WHERE = 80;

/** How many values may be looked at. */
export interface Budget {
  /** Below zero there were more, and not all texts were found. */
  left: number;
}

/** Told of one text. @returns whether it wants the next one */
export type PlaceVisitor = (place: Place) => boolean;

/** What is looked through, for whom, and how far. */
interface Walk {
  readonly budget: Budget;
  readonly visit: PlaceVisitor;
}

/**
 * Tells of every text of the parameters of a request, notification or answer, but what is written into files, as far as the budget goes.
 * No generator: each call is looked through before it goes on, and most have a handful of texts.
 */
export function visitPlaces(method: string, params: unknown, budget: Budget, visit: PlaceVisitor): void {
  walkParams({ budget, visit }, method, params);
}

/** Each of these returns whether the visitor wants more. */
function walkParams(walk: Walk, method: string, params: unknown): boolean {
  if (!isObject(params)) return walkValue(walk, params, NAMELESS);
  const skipped = Object.hasOwn(NO_PATH, method) ? NO_PATH[method] : undefined;
  for (const member of Object.keys(params)) {
    if (walk.budget.left < 0) return true;
    if (!walkMember(walk, method, member, params[member], skipped)) return false;
  }
  return true;
}

function walkMember(
  walk: Walk,
  method: string,
  member: string,
  value: unknown,
  skipped: ReadonlySet<string> | undefined,
): boolean {
  if (member === 'arguments') return walkValue(walk, value, NAMELESS);
  const at: Where = { in: undefined, key: member };
  if (member === '_meta') return walkMeta(walk, value, at);
  if (method === 'completion/complete') return walkCompletion(walk, member, value, at);
  if (typeof value === 'string' && skipped?.has(member)) return true;
  return (
    walk.visit({ text: member, name: '', at, meta: undefined, quoted: false }) &&
    walkValue(walk, value, { name: member, at, meta: undefined })
  );
}

/** Of `completion/complete`, which names a prompt or a template, one of its arguments, and the values of the others. */
function walkCompletion(walk: Walk, member: string, value: unknown, at: Where): boolean {
  const meta = undefined;
  if (!isObject(value)) return walkValue(walk, value, { name: member, at, meta });
  const { name, ...rest } = value;
  if (member === 'argument') {
    const { value: text, ...others } = rest;
    const called = typeof name === 'string' ? name : '';
    const place = { name: called, at: called === '' ? at : { in: undefined, key: called }, meta };
    const left = typeof name === 'string' ? others : { ...others, name };
    return walkValue(walk, text, place) && walkValue(walk, left, { name: '', at, meta });
  }
  if (member === 'context' && isObject(value.arguments)) {
    const { arguments: given, ...others } = value;
    return walkValue(walk, given, NAMELESS) && walkValue(walk, others, { name: '', at, meta });
  }
  const named = member === 'ref' && typeof name === 'string' ? rest : value;
  return walkValue(walk, named, { name: '', at, meta });
}

function walkMeta(walk: Walk, members: unknown, at: Where): boolean {
  if (!isObject(members)) return walkValue(walk, members, { name: '', at, meta: undefined });
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (walk.budget.left < 0) return true;
    // The server never sees it: each request to it has a token of Reeve.
    if (key === 'progressToken' && (typeof value === 'string' || typeof value === 'number')) continue;
    const place = { name: key, at: { in: at, key }, meta: isOptionalMeta(key) ? key : undefined };
    const { at: where, meta } = place;
    if (!walk.visit({ text: key, name: '', at: where, meta, quoted: false }) || !walkValue(walk, value, place))
      return false;
  }
  return true;
}

interface Open {
  readonly value: unknown;
  readonly name: string;
  readonly at: Where | undefined;
  readonly quoted: number;
}

/** What a value stands in. */
interface Around {
  readonly name: string;
  readonly at: Where | undefined;
  readonly meta: string | undefined;
}

const NOWHERE: Where = { in: undefined, key: '' };
/** Arguments are told by their own names. */
const NAMELESS: Around = { name: '', at: undefined, meta: undefined };

/** Every text of a JSON value, names of members too. Not by recursion: JSON may be nested deeper than the stack is. */
function walkValue({ budget, visit }: Walk, whole: unknown, { name: first, at: outside, meta }: Around): boolean {
  const open: Open[] = [{ value: whole, name: first, at: outside, quoted: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name, at, quoted } = next;
    // What waits counts too: a list may be longer than what is left.
    if (--budget.left < open.length) budget.left = -1;
    if (budget.left < 0) return true;
    if (typeof value === 'string') {
      if (TEXT_NAMES.has(name.toLowerCase())) continue;
      if (!visit({ text: value, name, at: at ?? NOWHERE, meta, quoted: quoted > 0 })) return false;
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
        if (!visit({ text: key, name: '', at: below, meta, quoted: quoted > 0 })) return false;
        if (holdsText(item)) open.push({ value: item, name: key, at: below, quoted });
      }
    }
  }
  return true;
}

function holdsText(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

/** Of a list, an object and a text. */
const OPENINGS: ReadonlySet<number> = new Set([...'[{"'].map((sign) => sign.charCodeAt(0)));

/** Models give lists and objects as text, and servers take them so. */
function quotedJson(text: string): unknown {
  if (!OPENINGS.has(text.trimStart().charCodeAt(0))) return undefined;
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
