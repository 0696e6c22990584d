import type { PolicyFacts, PolicySet } from '@reeve/policy';
import type { PolicyFile } from '@reeve/protocol';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { readPolicies, readText } from '../read-policies.ts';
import { describeProblem, renderExplanation, renderReplay } from '../render-policy.ts';
import { withServerOptions } from '../server-options.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** Policies as files: only `reload` needs a server, or changes one. */
export function policyCommand({ terminal }: CommandContext): Command {
  const policy = new Command('policy').description('check, test and explain policies');

  policy
    .command('check')
    .description('hold policies against the schema, and say what is wrong and where')
    .argument('<file...>', 'files of policies (Cedar), which count together')
    .option('--json', 'print the outcome as one JSON object')
    .action(async (names: readonly string[], { json }: JsonOption) => {
      const files = names.map((name): PolicyFile => ({ name, text: readText(name) }));
      const { openPolicies } = await import('@reeve/policy');
      const opened = await openPolicies(files);
      const problems = opened.kind === 'invalid' ? opened.problems : opened.warnings;
      if (json) {
        const found = opened.kind === 'opened' ? { policies: idsOf(opened.set), hash: opened.set.hash } : {};
        terminal.json({ ok: opened.kind === 'opened', ...found, problems });
      } else for (const problem of problems) terminal.line(describeProblem(problem));
      if (opened.kind === 'invalid') {
        const errors = problems.filter(({ kind }) => kind === 'error').length;
        throw new CliError('usage', `the policies are wrong in ${errors} ${errors === 1 ? 'place' : 'places'}`);
      }
      using set = opened.set;
      if (!json) terminal.line(`${set.policies.length} policies are right, ${set.hash}`);
    });

  policy
    .command('test')
    .description('decide recorded decisions again, and say which would come out otherwise')
    .argument('[file...]', 'files of policies (Cedar); the shipped policy when there is none')
    .requiredOption('--decisions <file>', 'recorded decisions: one {"facts", "outcome"} a line')
    .option('--accept', 'end with 0 though decisions differ')
    .option('--json', 'print the outcome as one JSON object')
    .action(async (names: readonly string[], options: JsonOption & { decisions: string; accept?: boolean }) => {
      const text = readText(options.decisions);
      const { replayDecisions } = await import('@reeve/policy');
      using set = await readPolicies(names);
      const replay = replayDecisions(set, text);
      const { changed, unread } = replay;
      if (options.json) terminal.json({ ok: changed.length + unread.length === 0, hash: set.hash, ...replay });
      else terminal.line(renderReplay(replay));
      if (unread.length > 0) {
        throw new CliError('usage', `${options.decisions} has lines that hold no decision`, unread[0]?.next);
      }
      if (replay.count === 0) {
        const next = 'Write one with: reeve audit export --format decisions --out FILE';
        throw new CliError('usage', `${options.decisions} holds no decision`, next);
      }
      if (changed.length > 0 && !options.accept) {
        const next = 'Mend the policies, or run it again with --accept when that is what you want.';
        throw new CliError('error', `${changed.length} of ${replay.count} decisions differ`, next);
      }
    });

  policy
    .command('explain')
    .description('decide one case, and say which policies led to it and what would change it')
    .argument('[file...]', 'files of policies (Cedar); the shipped policy when there is none')
    .requiredOption('--facts <file>', 'what is to be decided, as JSON')
    .option('--json', 'print the explanation as one JSON object')
    .action(async (names: readonly string[], options: JsonOption & { facts: string }) => {
      const facts = await readFacts(options.facts);
      const { explainDecision } = await import('@reeve/policy');
      using set = await readPolicies(names);
      const explanation = explainDecision(set, facts);
      if (options.json) terminal.json(explanation);
      else terminal.line(renderExplanation(explanation));
    });

  withServerOptions(policy.command('reload'))
    .description('have the server read the policy files of its configuration again; what is tighter counts at once')
    .option('--json', 'print the outcome as one JSON object')
    .action(async (options: ServerOptions & JsonOption) => {
      const { ok, hash, problems } = await (await needServer(options)).policies.reload();
      if (options.json) terminal.json({ ok, ...(hash === undefined ? {} : { hash }), problems });
      else for (const problem of problems) terminal.line(describeProblem(problem));
      if (!ok) throw new CliError('usage', 'the policies are wrong: those of before stay in force');
      if (!options.json) terminal.line(`in force: ${hash}`);
    });

  policy
    .command('default')
    .description('print the shipped policy')
    .action(async () => terminal.text((await import('@reeve/policy')).DEFAULT_POLICY));

  policy
    .command('schema')
    .description('print the schema that policies are held against, for editors')
    .action(async () => terminal.text((await import('@reeve/policy')).POLICY_SCHEMA));

  return policy;
}

function idsOf(set: PolicySet): readonly string[] {
  return set.policies.map(({ id }) => id);
}

async function readFacts(file: string): Promise<PolicyFacts> {
  const text = readText(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CliError('usage', `${file} is no JSON`, 'Write one JSON object: docs/policy.md has examples.');
  }
  const { readPolicyFacts } = await import('@reeve/policy');
  const read = readPolicyFacts(value);
  if (read.kind === 'facts') return read.facts;
  const issues = read.issues.map(({ path, expected, next }) => `  ${path}: expected ${expected}. ${next}`);
  throw new CliError('usage', `${file} holds no facts:\n${issues.join('\n')}`);
}
