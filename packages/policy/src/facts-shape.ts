import type { PolicyFacts } from './policy-facts.ts';
import { POLICY_WORDS } from './policy-schema.ts';

/** What one member of facts may be. */
export type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  /** A whole number from 0. */
  | { readonly kind: 'count' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  /** At least one, each once. */
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'members'; readonly of: Readonly<Record<string, Shape>>; readonly optional: readonly string[] };

const text: Shape = { kind: 'text' };
const flag: Shape = { kind: 'flag' };
const word = (words: readonly string[]): Shape => ({ kind: 'word', words });
const members = (of: Readonly<Record<string, Shape>>, optional: readonly string[] = []): Shape => ({
  kind: 'members',
  of,
  optional,
});

const server = members({
  name: text,
  fingerprint: text,
  transport: word(POLICY_WORDS.transport),
  origin: word(POLICY_WORDS.origin),
  local: flag,
  sandboxed: flag,
  known: flag,
  trusted: flag,
});

const root = members(
  {
    label: text,
    kind: word(['directory', 'file']),
    depth: { kind: 'count' },
    inProject: flag,
    highRisk: flag,
    risks: { kind: 'words', words: POLICY_WORDS.risks },
    repository: text,
  },
  ['repository'],
);

const access = word(POLICY_WORDS.access);

const OWN: Readonly<Record<PolicyFacts['kind'], Readonly<Record<string, Shape>>>> = {
  expose_root: { server, root, access, initiator: word(POLICY_WORDS.initiator) },
  start_server: { server },
  call_tool: {
    server,
    tool: members({ name: text, readOnly: flag, destructive: flag, openWorld: flag }),
    staleRoots: flag,
  },
  grant: { server, root, access },
  reveal_path: {},
};

export const ACTIONS = Object.keys(OWN) as readonly PolicyFacts['kind'][];

/** The members of facts of one kind. */
export function factsShape(kind: PolicyFacts['kind']): Shape {
  return members({
    kind: word([kind]),
    user: members({ id: text, administrator: flag }),
    agent: text,
    session: members({ id: text, enforced: flag }),
    ...OWN[kind],
  });
}
