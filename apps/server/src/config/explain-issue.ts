import type { z } from 'zod';
import { nearestName } from './nearest-name.ts';
import { type ConfigProblem, cameText, pathText } from './problem.ts';
import { defaultAt, knownKeys } from './schema.ts';

type Issue = z.core.$ZodIssue;

/** Where a setting was said: the place to mend it. */
export interface Said {
  readonly source: string;
  readonly line?: number;
  readonly column?: number;
}

/** What the schema found, in words: one problem, or one for each unknown key. */
export function explainIssue(
  issue: Issue,
  root: unknown,
  said: (path: readonly PropertyKey[], key?: string) => Said,
): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey(issue.path, key, said(issue.path, key)));
  }
  if (issue.code === 'invalid_key') {
    const key = String(issue.path.at(-1));
    const place = said(issue.path.slice(0, -1), key);
    const expected = issue.issues[0]?.message ?? issue.message;
    return [{ path: pathText(issue.path), ...place, expected, came: JSON.stringify(key), mend: 'Rename it.' }];
  }
  const came = valueAt(root, issue.path);
  return [
    {
      path: pathText(issue.path),
      ...said(issue.path),
      expected: issue.message,
      came: cameText(came, issue.path),
      mend: mendText(issue.path, issue.message, came),
    },
  ];
}

function unknownKey(parent: readonly PropertyKey[], key: string, place: Said): ConfigProblem {
  const keys = (knownKeys(parent) ?? []).filter((known) => known !== '$schema' && known !== 'type');
  const near = nearestName(key, keys);
  return {
    path: pathText([...parent, key]),
    ...place,
    expected: 'a known key',
    came: JSON.stringify(key),
    mend: near ? `Did you mean "${near}"?` : `Remove it; known here: ${keys.join(', ')}.`,
  };
}

function mendText(path: readonly PropertyKey[], expected: string, came: unknown): string {
  const key = String(path.at(-1) ?? '');
  if (came === undefined) return `Add "${key}": ${expected}.`;
  const standard = defaultAt(path);
  if (typeof standard === 'number' && typeof came === 'string' && /^\d+$/.test(came))
    return `Write ${came} without quotes.`;
  const otherwise = standard === undefined ? '' : `, or remove it for the default ${JSON.stringify(standard)}`;
  return `Write ${expected}${otherwise}.`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}
