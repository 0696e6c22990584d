import type { BoundaryPreview, ForeseenOutcome } from '@reeve/client';
import { partText } from '@reeve/protocol';
import { identityLines } from './describe-review.ts';
import { safeLine } from './safe-text.ts';

const OUTCOMES: Readonly<Record<ForeseenOutcome, string>> = {
  allow: 'at once',
  deny: 'never',
  ask_user: 'once a user approves',
  ask_admin: 'once an administrator approves',
};

/** What a session would be, before there is one: a command is never shortened. */
export function describePreview(preview: BoundaryPreview): readonly string[] {
  const { roots, network, enforcement, servers, ungoverned, notes, issues, refusal } = preview;
  const { backend, files, gaps } = enforcement;
  const rules = typeof network === 'object' ? `only ${network.allow.join(', ')}` : network;
  return [
    ...roots.map(({ path, access, kind, risks, highRisk, workspace }) => {
      const told = risks.filter((risk) => risk !== 'ordinary').map((risk) => risk.replaceAll('_', ' '));
      const words = [
        access === 'rw' ? 'read and write' : 'read only',
        ...(kind === 'file' ? ['file'] : []),
        ...(told.length === 0 ? [] : [`${highRisk ? 'HIGH RISK: ' : ''}${told.join(', ')}`]),
        ...(workspace === undefined ? [] : [`in the workspace "${workspace}"`]),
      ];
      return `${path}: ${words.join('; ')}`;
    }),
    ...(rules === undefined ? [] : [`network: ${rules}`]),
    `files are ${files === 'declared' ? 'NOT held' : files}${backend === 'none' ? '' : ` by ${backend}`}`,
    ...gaps.map((gap) => `  ${gap}`),
    ...servers.flatMap(({ identity, off, start, policies, roots: shown }) => [
      `server "${identity.name}" (${identity.origin}): ${off ? 'switched off' : `starts ${OUTCOMES[start] ?? start}`}${byPolicies(policies)}`,
      ...identityLines(identity).map((line) => `  ${line}`),
      ...(off
        ? []
        : shown.map(({ path, access, outcome, only, policies: by }) => {
            const part = only === undefined ? '' : `; ${partText(only)}`;
            return `  ${path} (${access}): ${OUTCOMES[outcome] ?? outcome}${byPolicies(by)}${part}`;
          })),
    ]),
    ...ungoverned.map(
      ({ name, from }) => `server "${name}" is started by the agent itself, PAST REEVE: ${from} names it`,
    ),
    ...notes.map((note) => `note: ${note}`),
    ...issues.map(({ path, expected, received, fix }) => `NOT POSSIBLE: ${path}: ${expected}, was ${received}: ${fix}`),
    ...(refusal === undefined ? [] : [`NOT POSSIBLE: ${refusal}`]),
  ].map((line) => safeLine(line, 20_000));
}

function byPolicies(policies: readonly string[]): string {
  return policies.length === 0 ? '' : ` (${policies.join(', ')})`;
}
