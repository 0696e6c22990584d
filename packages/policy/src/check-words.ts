import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { PolicyFile, PolicyProblem } from '@reeve/protocol';
import { isObject } from '@reeve/protocol';
import { placeAt } from './policy-problem.ts';
import { POLICY_WORDS } from './policy-schema.ts';

const COMPARISONS = ['==', '!=', 'contains', 'containsAll', 'containsAny'];

/**
 * Finds comparisons with a word that the attribute never holds, such as `context.access == "read"`, which Cedar takes for any string.
 * @param start where the policy's text begins in the file
 */
export function checkWords(policy: PolicyJson, file: PolicyFile, text: string, start: number): PolicyProblem[] {
  const problems: PolicyProblem[] = [];
  for (const { attribute, word } of comparisons(policy.conditions)) {
    const words: readonly string[] | undefined = Object.hasOwn(POLICY_WORDS, attribute)
      ? POLICY_WORDS[attribute as keyof typeof POLICY_WORDS]
      : undefined;
    if (words === undefined || words.includes(word)) continue;
    const at = Math.max(0, text.indexOf(JSON.stringify(word)));
    problems.push({
      kind: 'error',
      file: file.name,
      ...placeAt(file.text.slice(0, start + at)),
      message: `${attribute} is never ${JSON.stringify(word)}`,
      next: `Use one of ${words.join(', ')}.`,
    });
  }
  return problems;
}

/** Every attribute that is compared with a text, at any depth of an expression (Cedar, JSON policy format). */
function* comparisons(node: unknown): Generator<{ readonly attribute: string; readonly word: string }> {
  if (Array.isArray(node)) {
    for (const inner of node) yield* comparisons(inner);
    return;
  }
  if (!isObject(node)) return;
  for (const [key, inner] of Object.entries(node)) {
    if (COMPARISONS.includes(key) && isObject(inner)) {
      const attribute = attributeOf(inner.left) ?? attributeOf(inner.right);
      const texts = [...textsOf(inner.left), ...textsOf(inner.right)];
      if (attribute !== undefined) for (const word of texts) yield { attribute, word };
    }
    yield* comparisons(inner);
  }
}

function attributeOf(node: unknown): string | undefined {
  const access = isObject(node) ? node['.'] : undefined;
  return isObject(access) && typeof access.attr === 'string' ? access.attr : undefined;
}

function textsOf(node: unknown): string[] {
  if (!isObject(node)) return [];
  if (Array.isArray(node.Set)) return node.Set.flatMap(textsOf);
  if (Array.isArray(node.Value)) return node.Value.filter((value) => typeof value === 'string');
  return typeof node.Value === 'string' ? [node.Value] : [];
}
