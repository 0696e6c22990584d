import { of, type Requirement } from './requirement.ts';

const GUARDED_CALLS = 'apps/server/src/boundary/guarded-calls.test.ts';
const BOUNDARIES = 'apps/server/src/boundary/boundaries.test.ts';
const SRC = 'packages/policy/src';
const URI = `${SRC}/file-uri.test.ts`;
const CONTAINMENT = `${SRC}/containment.test.ts`;
const ALGEBRA = `${SRC}/root-algebra.test.ts`;
const CHANGE = `${SRC}/boundary-change.test.ts`;
const NETWORK = `${SRC}/network-rule.test.ts`;
const PROJECTIONS = `${SRC}/projections.test.ts`;
const RISK = `${SRC}/risk.test.ts`;
const SHIPPED = `${SRC}/default-policy.test.ts`;
const SET = `${SRC}/policy-set.test.ts`;
const CHECK = `${SRC}/check-policies.test.ts`;
const FACTS = `${SRC}/read-policy-facts.test.ts`;
const EXPLAIN = `${SRC}/explain-decision.test.ts`;
const CLI = 'apps/cli/src/policy.test.ts';

/** What is decided about roots, without touching a disk or a process. */
export const policy: readonly Requirement[] = [
  {
    id: 'POLICY-1',
    promise: 'a root is exactly file:/// and an absolute path; nothing that is accepted denotes another path',
    source: 'boundary 2, 6',
    tests: of(
      URI,
      '%s is %s',
      '%j is refused: %s',
      'may be as long as a path may be, and no longer',
      'goes there and back unchanged for every path that has one',
      'has one for every plain path',
      'denotes no other path for another reader, where it is accepted',
      'is refused for a path that has none',
    ),
  },
  {
    id: 'POLICY-2',
    promise: 'containment is by path component; the deepest root wins; where names are in doubt a path is outside',
    source: 'boundary 2, 6',
    tests: of(
      CONTAINMENT,
      '%s, %s: %s, by path component',
      'as component by component comparison says, for any two paths',
      'in other letters only where the file system surely ignores case',
      'in another Unicode form only where the file system surely takes both for one',
      'decides, whatever its access and wherever it stands in the list',
      'is read-only when the same directory is listed with both',
      'is a file only for that file itself',
      'is none when another spelling of a nested root may be meant',
      'is what comparing with each root says, for any roots',
    ),
  },
  {
    id: 'POLICY-3',
    promise:
      'boundaries are intersected, narrowed, widened and compared exactly, in order; the revision grows with each change',
    source: 'design: One boundary, enforced; boundary 4',
    tests: [
      ...of(
        ALGEBRA,
        'intersected give each path what both give, and never more',
        'united give each path what either gives',
        'keep the order of the first list, each path once',
        'have one normal form for one meaning, of the fewest roots',
        'differ exactly where a change is named, and no change repeats the one above it',
        'of the second list come after the root that holds them, with the names of the first where both have one',
      ),
      ...of(
        CHANGE,
        'that is narrowed never gives, and what its diff says is exactly what was taken',
        'that is widened never takes',
        'has a higher revision after a change, and only then',
        'loses a revoked root with all roots below it, and says what a root around it still gives',
        'says what to do instead where no root is',
        'that only changes its order or names tells servers, and restarts nothing',
      ),
      ...of(
        NETWORK,
        'have in common what both let through',
        'together let through what either does',
        '%j, then %j: %s',
      ),
    ],
  },
  {
    id: 'POLICY-4',
    promise: 'a boundary may have 10,000 roots',
    source: 'boundary 6',
    tests: of(CHANGE, 'may have 10,000 roots: each operation is done in an instant'),
    byHand:
      '"npm run bench -- policy": each operation within 50 ms, one evaluation within 0.2 ms, a remembered one within 5 µs',
  },
  {
    id: 'POLICY-5',
    promise:
      'a server has the roots that were granted, inside the boundary, and never more than its command line names',
    source: 'boundary 3',
    tests: of(
      PROJECTIONS,
      'are those granted, inside the boundary, in its order and with no more access than either gives',
      'are none without a grant, and none from the moment that it expires',
      'are intersected with the directories of its command line, never widened by them',
      'has a URI for each root, and the name where there is one',
      'leaves out, and tells, what no URI can name without doubt',
      'are the working directory and every other root, in order',
      'are refused for a working directory outside',
    ),
  },
  {
    id: 'POLICY-6',
    promise: 'roots of high risk are known as such, and some paths are never roots',
    source: 'boundary 2; mcp-roots: Open Questions',
    tests: of(
      RISK,
      'of the project itself, and of what lies in it, is ordinary',
      '%s: %j',
      'outside the project, in another repository, with hard links, is told and not high',
      '%s is high',
      '%s is never a root',
      'is seen in other letters and Unicode forms too, where the file system may take them for the same',
      'does not take a home for a system directory, wherever it lies',
    ),
  },
  {
    id: 'POLICY-7',
    promise:
      'the shipped policy gives the project to local confined servers; all else asks, high risk asks an administrator, remote servers get none',
    source: 'boundary 3',
    tests: of(
      SHIPPED,
      'gives the project to local, confined servers that are known, and asks a person for everything else',
      'asks an administrator for a root of high risk, wherever it lies and whoever asks',
      'shows a remote server no root unless a person named it, and asks then',
      'starts a server that a person approved, and asks for a new or changed one',
      'asks before a destructive call of a server that has not asked for its roots since they changed',
      'believes only a trusted server with old roots that its call is not destructive',
      'lets people grant ordinary roots and administrators those of high risk',
      'shows the paths behind audit records to administrators',
    ),
  },
  {
    id: 'POLICY-8',
    promise: 'a decision names its policies and their hash, is remembered by revision and facts, and fails closed',
    source: 'boundary 3; issue 4: Policy',
    tests: of(
      SET,
      'names the policies that forbid without approval and those that decide in the end, and the hash of the set',
      'is to refuse where no policy permits',
      'allows nothing when a policy that applies cannot be evaluated',
      'sees every fact that policies may look at',
      'remembers a decision by revision and facts, and forgets the oldest',
      'may be told to remember nothing',
      'has another hash when a policy differs, and the same one for the same policies',
      'decides by itself, whatever other sets are open, and permits nothing once it is disposed of',
    ),
  },
  {
    id: 'POLICY-9',
    promise: 'policies and facts are checked: each fault with its place and the next step; no fact is a path',
    source: 'boundary 3',
    tests: [
      ...of(
        CHECK,
        'finds %s, at its place and with the next step',
        'warns of a policy that never applies',
        'tells every fault of every file',
        'gives each policy its own id, reason and line, however many there are',
        'answers any text with policies or problems, and never throws',
        'is one that Cedar takes',
        'has the actions that facts have',
      ),
      ...of(
        FACTS,
        'are read as they are',
        'fit the schema of policies, for every action',
        '%#: that are wrong are refused with the place and the next step',
        'that are wrong in many places are told 20 of them',
      ),
    ],
  },
  {
    id: 'POLICY-10',
    promise: 'reeve policy check, test and explain, with --json',
    source: 'issue 4: Policy',
    tests: [
      ...of(
        CLI,
        'ends with 0 for policies that are right, and says their hash',
        'tells each fault with its place and next step, and ends with 2',
        'says which file cannot be read',
        'ends with 0 when every decision comes out as recorded',
        'shows what would change and ends with 1, with --accept with 0',
        'ends with 2 for lines that hold no decision',
        'says outcome, policies, reasons and what would change it',
        'prints the same as one object with --json',
        'says what is wrong with facts',
        'shows the shipped policy and the schema as they are printed',
        'has examples that are right, beside the shipped policy',
      ),
      ...of(
        EXPLAIN,
        'names the deciding policies with their reasons and places',
        'says every single fact that would change the outcome, and no other',
        'that come out as before are counted, and those that do not are told with their line',
        'that cannot be read are told, and never repeated',
      ),
    ],
  },
  {
    id: 'POLICY-11',
    promise: 'what decides has no Node, no disk and no clock: its host brings every fact',
    source: 'design: The house',
    tests: of('test/architecture.test.ts', 'decides policy without Node: its host brings every fact'),
  },
  {
    id: 'POLICY-13',
    promise: 'who sees the paths behind records is decided by policies, and a refusal names them and is recorded',
    source: 'boundary 5 (revealing is a permitted act)',
    tests: [
      ...of(
        'apps/server/src/audit/audit-log.test.ts',
        'reveals nothing to whom policies do not let see it, and has that in the log',
      ),
      ...of(
        'apps/server/src/http/audit-routes.test.ts',
        'reveals no path where policies forbid that, and says which and what can be done',
      ),
      ...of(
        'e2e/audit-policy.test.ts',
        'show paths to nobody whom policies forbid that, who is told which, and that is recorded',
      ),
    ],
  },
  {
    id: 'POLICY-14',
    promise:
      'what policies decide is recorded with its facts, which hold no path, once for each case; it can be decided again',
    source: 'boundary 3 (tested against recorded decisions)',
    tests: [
      ...of(
        GUARDED_CALLS,
        'are recorded with the facts that they were decided by, once for each case, and so is a start and a root',
        'are recorded apart from the yes that a start needs: what is decided by that has the request as its cause',
      ),
      ...of(
        'apps/server/src/http/audit-routes.test.ts',
        'exports what policies decided by which facts, as "reeve policy test" takes it',
      ),
      ...of(
        'apps/cli/src/policy.test.ts',
        'ends with 2 for a file that holds no decision at all, and says where one comes from',
      ),
      ...of(
        'e2e/audit-policy.test.ts',
        'try other policies on what was decided, and find what would come out otherwise',
      ),
    ],
  },
  {
    id: 'POLICY-15',
    promise:
      'what becomes of calls in flight when their boundary changes is a setting: they end, go on, or a person is asked',
    source: 'boundary 4 (long-running work)',
    tests: [
      ...of(
        'e2e/audit-policy.test.ts',
        'go on to their end after a narrowing, where policy.callsAfterChange says "finish"',
        'are put to a person after a narrowing, where it says "ask"',
        'end after a narrowing, and after a widening where it says "cancel"',
      ),
      ...of(
        'apps/server/src/mcp/gate/server-call-gate.test.ts',
        'that only gives something does with "%s" the same to every call in flight',
      ),
    ],
  },
  {
    id: 'POLICY-12',
    promise:
      'policies that an operator wrote are checked before the server listens, and what only sessions need is loaded once it does',
    source: 'design: Runtime and dependencies',
    tests: [
      ...of('test/architecture.test.ts', 'starts a server without what only sessions need'),
      ...of('e2e/audit.test.ts', 'says by which policies is decided, also where no session was opened yet'),
      ...of(
        BOUNDARIES,
        'begins with the policies that an operator wrote, checked before any session, or with those that ship once there is one',
        'replaces policies that nothing was decided by yet',
      ),
    ],
  },
];
