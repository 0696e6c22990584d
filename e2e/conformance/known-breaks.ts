import type { SubjectName } from './subject.ts';

/** A line that an agent breaks in a way that Reeve cannot mend without lying. It is asserted to be broken still. */
export interface KnownBreak {
  readonly id: string;
  readonly agent: SubjectName;
  readonly reason: string;
}

const FIELDS =
  'the agent has fields of its own at the root of types of ACP; a relay that dropped them would lose what clients read';

export const KNOWN_BREAKS: readonly KnownBreak[] = [
  { id: 'SCHEMA-002', agent: 'claude', reason: FIELDS },
  { id: 'SCHEMA-002', agent: 'opencode', reason: FIELDS },
];

/** Lines about what an agent does not have. That it has not is asserted too. */
export const NOT_OFFERED: Readonly<Record<SubjectName, readonly string[]>> = {
  fake: ['PROMPTCAP-002'],
  codex: ['AUTH-003', 'AUTH-004', 'ADDDIRS-001', 'MODES-001', 'MODES-002', 'PROMPTCAP-002'],
  claude: ['AUTH-003', 'AUTH-004', 'PROMPTCAP-002'],
  opencode: ['AUTH-003', 'AUTH-004', 'ADDDIRS-001', 'MODES-001', 'MODES-002', 'PROMPTCAP-002'],
};
