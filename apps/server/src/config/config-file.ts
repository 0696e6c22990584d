import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type ConfigProblem, pathText } from './problem.ts';

/** A configuration file as it was read: its value, and where each part of it stands. */
export type ConfigFile =
  | {
      readonly kind: 'read';
      readonly file: string;
      readonly value: { readonly [key: string]: unknown };
      /** Where the value at `path` stands, else the nearest thing around it; for a key, `key` gives the key itself. */
      locate(path: readonly PropertyKey[], key?: string): Position;
    }
  | { readonly kind: 'broken'; readonly problems: readonly ConfigProblem[] };

/** Both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Reads JSON with comments and trailing commas. Keys that stand twice are problems: one of them would be lost silently. */
export function parseConfigFile(file: string, source: string): ConfigFile {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const position = (offset: number): Position => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  if (!tree) return { kind: 'broken', problems: [notAnObject(file, 'an empty file')] };
  if (errors.length > 0) {
    const broken = errors.slice(0, 5).map((error) => ({
      path: '',
      source: file,
      ...position(error.offset),
      expected: 'JSON (comments and trailing commas are allowed)',
      came: printParseErrorCode(error.error),
      mend: 'Correct the syntax there.',
    }));
    return { kind: 'broken', problems: broken };
  }
  if (tree.type !== 'object') return { kind: 'broken', problems: [notAnObject(file, `a ${tree.type}`)] };
  const twice = repeatedKeys(tree, []).map(({ path, offset }) => ({
    path: pathText(path),
    source: file,
    ...position(offset),
    expected: 'each key once',
    came: 'the key a second time',
    mend: 'Remove one of the two.',
  }));
  if (twice.length > 0) return { kind: 'broken', problems: twice };
  return {
    kind: 'read',
    file,
    value: plainValue(tree) as { readonly [key: string]: unknown },
    locate: (path, key) => position(offsetOf(tree, path, key)),
  };
}

function notAnObject(file: string, came: string): ConfigProblem {
  return {
    path: '',
    source: file,
    line: 1,
    column: 1,
    expected: 'an object',
    came,
    mend: 'Write {} for all defaults.',
  };
}

function plainValue(node: Node): unknown {
  // Through JSON.parse, so that a key "__proto__" is a key like any other and can be refused.
  return JSON.parse(JSON.stringify(getNodeValue(node)));
}

function offsetOf(tree: Node, path: readonly PropertyKey[], key: string | undefined): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = findNodeAtLocation(tree, path.slice(0, length) as (string | number)[]);
    if (!node) continue;
    const property = key === undefined ? undefined : node.children?.find((child) => child.children?.[0]?.value === key);
    return property?.offset ?? node.offset;
  }
  return 0;
}

function repeatedKeys(node: Node, path: readonly PropertyKey[]): { path: readonly PropertyKey[]; offset: number }[] {
  const found: { path: readonly PropertyKey[]; offset: number }[] = [];
  if (node.type === 'array') {
    for (const [index, item] of (node.children ?? []).entries()) found.push(...repeatedKeys(item, [...path, index]));
  }
  if (node.type === 'object') {
    const seen = new Set<string>();
    for (const property of node.children ?? []) {
      const [key, value] = property.children ?? [];
      if (!key || !value) continue;
      const name = String(key.value);
      if (seen.has(name)) found.push({ path: [...path, name], offset: property.offset });
      seen.add(name);
      found.push(...repeatedKeys(value, [...path, name]));
    }
  }
  return found;
}
