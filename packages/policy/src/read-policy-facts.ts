import { isObject } from '@reeve/protocol';
import { ACTIONS, factsShape, type Shape } from './facts-shape.ts';
import type { PolicyFacts } from './policy-facts.ts';

/** One thing wrong with facts. */
export interface FactsIssue {
  /** `server.transport`; empty for the whole. */
  readonly path: string;
  readonly expected: string;
  /** What to send instead. */
  readonly next: string;
}

export type ReadFacts =
  | { readonly kind: 'facts'; readonly facts: PolicyFacts }
  /** At least one, at most 20. */
  | { readonly kind: 'invalid'; readonly issues: readonly FactsIssue[] };

const MAX_ISSUES = 20;
/** Long enough for a fingerprint or a label, short enough to be kept with every decision. */
const MAX_TEXT = 1024;

/** Reads facts that came from outside: every member that the action has, and no other. */
export function readPolicyFacts(value: unknown): ReadFacts {
  const kind = isObject(value) ? ACTIONS.find((action) => action === value.kind) : undefined;
  if (kind === undefined) {
    const issue = {
      path: 'kind',
      expected: `one of ${ACTIONS.join(', ')}`,
      next: 'Say which action is to be decided.',
    };
    return { kind: 'invalid', issues: [issue] };
  }
  const issues = [...faults(value, factsShape(kind), '')].slice(0, MAX_ISSUES);
  return issues.length > 0 ? { kind: 'invalid', issues } : { kind: 'facts', facts: value as unknown as PolicyFacts };
}

function* faults(value: unknown, shape: Shape, path: string): Generator<FactsIssue> {
  if (shape.kind !== 'members') {
    if (!fits(value, shape)) yield { path, expected: expectation(shape), next: `Send ${expectation(shape)}.` };
    return;
  }
  if (!isObject(value)) {
    yield { path, expected: 'object', next: `Send an object of ${Object.keys(shape.of).join(', ')}.` };
    return;
  }
  for (const [name, inner] of Object.entries(shape.of)) {
    if (value[name] === undefined && shape.optional.includes(name)) continue;
    yield* faults(value[name], inner, path === '' ? name : `${path}.${name}`);
  }
  for (const name of Object.keys(value).filter((one) => !Object.hasOwn(shape.of, one))) {
    const at = path === '' ? name.slice(0, 60) : `${path}.${name.slice(0, 60)}`;
    yield { path: at, expected: 'nothing', next: `Leave it out: there are ${Object.keys(shape.of).join(', ')}.` };
  }
}

function fits(value: unknown, shape: Exclude<Shape, { kind: 'members' }>): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT && value.isWellFormed();
    case 'flag':
      return typeof value === 'boolean';
    case 'count':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'word':
      return typeof value === 'string' && shape.words.includes(value);
    case 'words':
      return (
        Array.isArray(value) &&
        value.length > 0 &&
        new Set(value).size === value.length &&
        value.every((one) => typeof one === 'string' && shape.words.includes(one))
      );
  }
}

function expectation(shape: Exclude<Shape, { kind: 'members' }>): string {
  switch (shape.kind) {
    case 'text':
      return `text of 1 to ${MAX_TEXT} characters`;
    case 'flag':
      return 'true or false';
    case 'count':
      return 'a whole number from 0';
    case 'word':
      return shape.words.length === 1 ? `"${shape.words[0]}"` : `one of ${shape.words.join(', ')}`;
    case 'words':
      return `a list of ${shape.words.join(', ')}, each at most once`;
  }
}
