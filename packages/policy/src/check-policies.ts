import type { PolicyFile, PolicyInfo, PolicyProblem } from '@reeve/protocol';
import type { Cedar } from './cedar.ts';
import { checkWords } from './check-words.ts';
import { placeAt, problemsOf } from './policy-problem.ts';
import { POLICY_SCHEMA } from './policy-schema.ts';

export interface PolicyCheck {
  /** Without errors, all policies of the files; else those that could be read. */
  readonly policies: readonly PolicyInfo[];
  /** By file, then place. */
  readonly problems: readonly PolicyProblem[];
}

/** Parses policies and holds them against the schema: every name, type and word is known, every policy has an id of its own. */
export function checkPolicies(cedar: Cedar, files: readonly PolicyFile[]): PolicyCheck {
  const checked = files.map((file) => checkFile(cedar, file));
  const policies = checked.flatMap((one) => one.policies);
  const problems = checked.flatMap((one) => one.problems);
  const byId = Map.groupBy(policies, ({ id }) => id);
  const again = [...byId.values()].flatMap(([first, ...others]) =>
    others.map(
      (other): PolicyProblem => ({
        kind: 'error',
        file: other.file,
        line: other.line,
        column: 1,
        message: `the id ${JSON.stringify(other.id)} is that of the policy at ${first?.file}:${first?.line} too`,
        next: 'Give each policy an @id of its own: decisions and audit records name it.',
      }),
    ),
  );
  return { policies, problems: [...problems, ...again] };
}

function checkFile(cedar: Cedar, file: PolicyFile): PolicyCheck {
  const staticPolicies = file.text;
  const parsed = cedar.checkParsePolicySet({ staticPolicies });
  if (parsed.type === 'failure') return { policies: [], problems: problemsOf(file, 'error', parsed.errors) };
  const answer = cedar.validate({ schema: POLICY_SCHEMA, policies: { staticPolicies } });
  if (answer.type === 'failure') return { policies: [], problems: problemsOf(file, 'error', answer.errors) };
  const { policies, problems } = readPolicies(cedar, file);
  const errors = answer.validationErrors.map(({ error }) => error);
  const wrong = new Set(answer.validationErrors.map(({ policyId }) => policyId));
  // One warning for each policy, and none for what follows from an error that is told already.
  const doubtful = Map.groupBy(answer.validationWarnings, ({ policyId }) => policyId);
  const warnings = [...doubtful].flatMap(([id, [first]]) => (wrong.has(id) || !first ? [] : [first.error]));
  const found = [
    ...problemsOf(file, 'error', errors),
    ...problems,
    ...problemsOf(file, 'warning', [...warnings, ...answer.otherWarnings]),
  ];
  return { policies, problems: found.sort((one, other) => one.line - other.line || one.column - other.column) };
}

/** The policies of a text that parses, in its order. */
function readPolicies(cedar: Cedar, file: PolicyFile): { policies: PolicyInfo[]; problems: PolicyProblem[] } {
  const parts = cedar.policySetTextToParts(file.text);
  if (parts.type === 'failure') return { policies: [], problems: problemsOf(file, 'error', parts.errors) };
  const policies: PolicyInfo[] = [];
  const problems: PolicyProblem[] = [];
  let end = 0;
  for (const text of inTextOrder(parts.policies)) {
    const start = file.text.indexOf(text, end);
    const place = placeAt(file.text.slice(0, start));
    end = start + text.length;
    const read = cedar.policyToJson(text);
    if (read.type === 'failure') continue;
    const { annotations = {}, effect } = read.json;
    problems.push(...checkWords(read.json, file, text, start));
    if (!annotations.id) {
      const message = 'the policy has no id';
      const next = 'Begin it with @id("a-name-of-its-own"): decisions and audit records name it.';
      problems.push({ kind: 'error', file: file.name, ...place, message, next });
      continue;
    }
    const reason = annotations.reason ? { reason: annotations.reason } : {};
    policies.push({ id: annotations.id, ...reason, effect, file: file.name, line: place.line, text });
  }
  return { policies, problems };
}

/** Cedar numbers policies from 0 and gives them back by these names as text: `policy10` before `policy2`. */
function inTextOrder(parts: readonly string[]): string[] {
  const numbers = parts.map((_, at) => at).sort((one, other) => (`${one}` < `${other}` ? -1 : 1));
  return parts
    .map((text, at) => ({ text, number: numbers[at] ?? at }))
    .sort((one, other) => one.number - other.number)
    .map(({ text }) => text);
}
