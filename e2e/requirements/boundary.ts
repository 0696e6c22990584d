import { of, type Requirement } from './requirement.ts';

const BOUNDARY = 'apps/server/src/boundary';
const GUARDED_SERVER = `${BOUNDARY}/guarded-server.test.ts`;
const ASKED_ROOTS = `${BOUNDARY}/asked-roots.test.ts`;
const BOUNDARIES = `${BOUNDARY}/boundaries.test.ts`;
const GUARDED_CALLS = `${BOUNDARY}/guarded-calls.test.ts`;
const STAND = `${BOUNDARY}/stand-roots.test.ts`;
const FACTS = `${BOUNDARY}/root-facts.test.ts`;
const FINGERPRINT = `${BOUNDARY}/server-fingerprint.test.ts`;
const REVIEW = 'apps/server/src/requests/check-review.test.ts';
const BROKER = 'apps/server/src/requests/request-broker.test.ts';
const DECISIONS = 'apps/server/src/store/grant-store.contract.ts';
const PROJECTIONS = 'packages/policy/src/projections.test.ts';

/** Who decides what a server may see, and what becomes of that. */
export const boundary: readonly Requirement[] = [
  {
    id: 'BOUNDARY-1',
    promise:
      'policies decide first, people second: the project for confined servers, the rest asks, remote ones get nothing',
    source: 'boundary 3',
    tests: [
      ...of(
        GUARDED_SERVER,
        'that the operator configured may run, and has the project without anybody being asked',
        'that is remote has no root unless a person named it for that server',
      ),
      ...of(ASKED_ROOTS, 'need an administrator where they are of high risk, and others do not wait for that'),
      ...of(
        STAND,
        'is for policies to say first: the project is given, another root asked about, a lost one gone',
        'of high risk waits for an administrator, whose yes alone counts',
        'is refused to a remote server without asking, and asked about where a person named it',
        'is read already where only writing must be asked about',
        'is what the deepest and newest decision of a person says, of nested and overlapping roots too',
      ),
    ],
  },
  {
    id: 'BOUNDARY-2',
    promise: 'a server that nobody has seen, or that changed, is reviewed with all that it is before it starts',
    source: 'boundary 3',
    tests: [
      ...of(
        GUARDED_SERVER,
        'that nobody has seen before is reviewed with its command before it starts, and runs once that is approved',
        'is another one when its program changed, and the review says that it did',
        'is no changed one for what was approved under its name in another project or session',
        'that was approved for good is asked about again where its %s are others',
        'that was approved and then forgotten is asked about again before it starts, and is no changed one',
        'is asked about once more where it was denied for the session, and never again where it was denied for good',
        'waits with its review until the session has a name',
      ),
      ...of(
        FINGERPRINT,
        'is the same for the same program, wherever the server is named, and never of its secrets',
        'is another for other arguments, another program, another script, another address',
        'changes with the file that the command resolves to, and with the script',
        'is of the program that its own PATH leads to, which is the one that is started',
        'changes with every script that is named: %s',
        'changes with what has the same relative name in another directory that it may be started in',
        'is another where a variable has other code run, whatever the order of the variables',
        'is another with another variable, whatever the values, which may be secrets',
        'is shown with the address without user, query and fragment',
      ),
    ],
  },
  {
    id: 'BOUNDARY-3',
    promise:
      'reviews are durable requests: answered narrowed, for a scope, with expiry, by an administrator where one must',
    source: 'boundary 3; issue 4: Reviews',
    tests: [
      ...of(
        REVIEW,
        '%j becomes a decision with its scope',
        '%j is refused, since it is more or other than was asked',
        'approves what needs an administrator only from one, and is denied by anybody',
      ),
      ...of(
        BROKER,
        'keeps a review while agents and turns end, and ends it with the session; who watches the session is told',
        'lets an administrator answer a review that needs one, and ends one that is taken back',
      ),
      ...of(
        ASKED_ROOTS,
        'are asked about in one request, which those that come later join',
        'are given until a time, and taken away then',
        'that are decided for the project count in its other sessions, those for the session do not',
        'can be asked for by a person, and then the session has them too',
        'are not asked about any more once that is decided otherwise',
        'that were decided count after a restart of the server, and what nobody answered is asked again',
      ),
      ...of(DECISIONS, 'keeps decisions when it is opened again', 'finds decisions by server, by session and by scope'),
    ],
  },
  {
    id: 'BOUNDARY-4',
    promise:
      'taking away is one action, in force at once, and reported as what was found out: gone, unverified or failed',
    source: 'boundary 3, 4',
    tests: of(
      BOUNDARIES,
      'is in force at once, and done when the servers have changed over and looked',
      'is reported as failed or unverified where nobody could look',
      'takes a root from one server alone, and keeps it for the session',
      'of what one server may have is a revision of the session too, and told to who keeps it',
      'is refused where another was faster, and says so',
      'forgets a server: what it was granted is gone, and it is stopped where it runs',
    ),
  },
  {
    id: 'BOUNDARY-5',
    promise: 'other policies take effect on what runs, and policies that do not hold change nothing',
    source: 'boundary 3',
    tests: of(BOUNDARIES, 'of the policies narrows what runs, and stops a server that may not run any more'),
  },
  {
    id: 'BOUNDARY-6',
    promise: 'the directories on a command line are intersected with what is granted, never widened by it',
    source: 'boundary 3',
    tests: [
      ...of(GUARDED_SERVER, 'has no more than the directories on its own command line, and these give it nothing'),
      ...of(
        FINGERPRINT,
        'are those that stand there alone, or as the value of a flag whose name says so',
        'are none of a server that is reached by an address',
      ),
      ...of(PROJECTIONS, 'are intersected with the directories of its command line, never widened by them'),
    ],
  },
  {
    id: 'BOUNDARY-10',
    promise:
      'a server works in the cwd of the session where it was granted that, and its command line, its calls and its fingerprint mean the same place',
    source: 'boundary 3',
    tests: [
      ...of(
        GUARDED_SERVER,
        'works in the directory of the session, also where that is not the first root, and is known by the script there',
        'works in its first directory where it was not granted that of the session, and nowhere without one',
      ),
      ...of(
        'apps/server/src/mcp/launch/server-launcher.test.ts',
        'starts where its scope says, whatever its first root is, and finds there what its command line names',
        'is given what its command line names from where the session works, also where it works elsewhere itself',
        'needs another process where it works elsewhere from then on, confined or not: %s',
      ),
      ...of(
        'apps/server/src/mcp/gate/server-call-gate.test.ts',
        'begins where the server works, which need not be its first root, nor all of one',
      ),
      ...of('apps/server/src/mcp/launch/command-from.test.ts', 'names what is there by its place: %s'),
      ...of('e2e/boundary-surface.test.ts', 'is what the server works on, and all that it is given'),
    ],
  },
  {
    id: 'BOUNDARY-7',
    promise: 'a call that must be asked about is approved once, also when the answer comes later; no argument is shown',
    source: 'boundary 7',
    tests: of(
      GUARDED_CALLS,
      'are let through, or asked about when a destructive one may work with old roots',
      'are approved once: also when the answer comes after nobody waits any more',
      'that reach for what was not given raise an alarm, an event and a record',
    ),
  },
  {
    id: 'BOUNDARY-8',
    promise: 'the facts that policies get are looked up on disk: project, repository, risks, kind',
    source: 'boundary 2, 3',
    tests: of(
      FACTS,
      'tell what policies may know, and its kind',
      'is the enclosing work tree, else the nearest directory with a project file, else where it works',
      'is never a home directory or what holds it, also where somebody keeps it under git',
      'is that of the enclosing work tree, by its origin or else by a hash, never by a path',
      'is its own for a submodule',
      'is not that of a stranger, which does not know of it, whatever its .git says',
      '%s is %s',
      '%j names none that is known elsewhere',
    ),
  },
  {
    id: 'BOUNDARY-11',
    promise: 'a review is offered to every controller in the words of its version of ACP, with the whole command',
    source: 'boundary 3; ACP v1 and v2, session/request_permission',
    tests: [
      ...of(
        'apps/server/src/sessions/session-servers.test.ts',
        'is a permission to every controller, and the first answer counts',
      ),
      ...of(
        'e2e/versions.test.ts',
        'is asked whether an MCP server that it brings may run, sees its whole command, and its answer counts',
      ),
      ...of(
        'apps/server/src/sessions/review-permission.test.ts',
        'tells in v1 and v2 the same: what runs, whole, with its package, the names of its variables, and its roots',
      ),
      ...of(
        'apps/server/src/sessions/version-two.test.ts',
        'asks every controller what Reeve itself must know; who is slower, or has answered nothing, is told that it is settled',
      ),
    ],
  },
  {
    id: 'BOUNDARY-9',
    promise:
      'each decision, exposure, change, call, alarm and verification is recorded, without path, argument or command',
    source: 'boundary 5',
    tests: of(
      'apps/server/src/audit/facts-of-governance.test.ts',
      'names server, revision, decision and policies, and no path, argument or command',
      'is found by the directory that it is about',
      'is documented kind by kind, and has a class of OCSF',
    ),
  },
];
