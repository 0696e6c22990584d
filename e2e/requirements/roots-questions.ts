import { of, type Requirement } from './requirement.ts';

const BOUNDARY = 'apps/server/src/boundary';
const CALLS = `${BOUNDARY}/guarded-calls.test.ts`;
const CHANGES = `${BOUNDARY}/boundaries.test.ts`;
const ASKED = `${BOUNDARY}/asked-roots.test.ts`;
const SHIPPED = 'packages/policy/src/default-policy.test.ts';
const RISK = 'packages/policy/src/risk.test.ts';
const GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const GOVERNED = 'apps/server/src/mcp/governed-files.test.ts';
const LAUNCHER = 'apps/server/src/mcp/launch/server-launcher.test.ts';
const RECORDS = 'apps/server/src/audit/facts-of-governance.test.ts';
const AUDIT = 'apps/server/src/audit/audit-log.test.ts';

/** How MCP roots fail, and what their specification leaves open (docs/boundary.md, under the same headings). */
export const rootsQuestions: readonly Requirement[] = [
  fails(
    'overbroad',
    'a root that is far more than the work needs is named as such, and the gravest need an administrator',
    [
      ...of(RISK, '%s is high', 'outside the project, in another repository, with hard links, is told and not high'),
      ...of(SHIPPED, 'asks an administrator for a root of high risk, wherever it lies and whoever asks'),
      ...of(
        `${BOUNDARY}/root-facts.test.ts`,
        'is never a home directory or what holds it, also where somebody keeps it under git',
      ),
      ...of(GATE, 'is not asked for where the root would hold far more than the call is about: %s'),
    ],
  ),
  fails(
    'traversal',
    'what two readers could take for different paths is refused, and links are followed before anything is compared',
    [
      ...of('packages/policy/src/file-uri.test.ts', 'denotes no other path for another reader, where it is accepted'),
      ...of(GATE, 'is outside, and the call is refused with an alarm: %s'),
      ...of(
        'apps/server/src/mcp/gate/misread-paths.test.ts',
        'is passed on nowhere, for a read and for a write, and the refusal says what to send: %s',
      ),
      ...of(
        'apps/server/src/mcp/launch/revocation.test.ts',
        'leaks nothing through a directory that is swapped for a symlink while it reads and writes',
      ),
    ],
  ),
  fails(
    'stale',
    'no call goes to a server that works with roots of before without being held, asked about or stopped',
    [
      ...of(
        GATE,
        'holds calls of a server that keeps its roots until it has fetched them again',
        'lets policy decide about calls of a server that does not fetch them in time',
      ),
      ...of(
        GOVERNED,
        'answers nothing of a root that was taken, whatever was sent before, meanwhile and after',
        'has nothing from the moment that its last root is taken, though it keeps its directories on an empty list',
      ),
    ],
  ),
  fails(
    'theatre',
    'what holds a server is told for each process, and a root is reported gone only where that was looked at',
    [
      ...of(LAUNCHER, 'is started again in a narrower sandbox, which is found out from inside'),
      ...of(CHANGES, 'is reported as failed or unverified where nobody could look'),
      ...of(`${BOUNDARY}/guarded-server.test.ts`, 'is recorded once for each process, however often it is told'),
      ...of(AUDIT, 'tells enforcement by level and by topic of each gap, since a gap may name a path'),
      ...of(
        SHIPPED,
        'gives the project to local, confined servers that are known, and asks a person for everything else',
      ),
    ],
  ),
  open('risk', 'people are warned of a root of high risk where they decide, and for the gravest that is not enough', [
    ...of(ASKED, 'need an administrator where they are of high risk, and others do not wait for that'),
    ...of(
      'apps/server/src/sessions/session-servers.test.ts',
      'that an administrator must answer is offered to no client of ACP, and keeps the session from being let go',
    ),
    ...of(
      'apps/server/src/sessions/review-permission.test.ts',
      'tells in v1 and v2 the same: what runs, whole, with its package, the names of its variables, and its roots',
    ),
  ]),
  open('labels', 'records name a root by labels of it and of all above it, and its path goes with a key', [
    ...of(RECORDS, 'names server, revision, decision and policies, and no path, argument or command'),
    ...of(RECORDS, 'is found by the directory that it is about'),
    ...of(AUDIT, 'has no path left once the path key is destroyed, and seals later ones under a new key'),
  ]),
  open(
    'fetch-again',
    'a call that may be destructive, of a server that has not fetched its roots since they changed, asks a person',
    [
      ...of(
        SHIPPED,
        'asks before a destructive call of a server that has not asked for its roots since they changed',
        'believes only a trusted server with old roots that its call is not destructive',
      ),
      ...of(CALLS, 'are let through, or asked about when a destructive one may work with old roots'),
    ],
  ),
  open(
    'earlier-boundary',
    'work that began under an earlier boundary is recorded with both revisions, and ended, finished or asked about',
    [
      ...of(CALLS, 'are recorded with the revision that they began under and the one that they ended under'),
      ...of(
        GATE,
        'with "%s" ends calls in flight that depend on what it takes: %j %s',
        'that only gives something does with "%s" the same to every call in flight',
        'waits no longer for calls in flight than they have time',
        'asks a person whether a call may go on, where policy says so',
      ),
      ...of(
        'apps/server/src/mcp/tasks-of-a-server.test.ts',
        'ends with its process when something is %s, and holds the change up in no way',
      ),
    ],
  ),
];

function fails(name: string, promise: string, tests: Requirement['tests']): Requirement {
  return { id: `ROOTS-FAIL-${name}`, promise, source: 'seed mcp-roots, failure modes; docs/boundary.md', tests };
}

function open(name: string, promise: string, tests: Requirement['tests']): Requirement {
  return { id: `ROOTS-OPEN-${name}`, promise, source: 'seed mcp-roots, open questions; docs/boundary.md', tests };
}
