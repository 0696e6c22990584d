import { of, type Requirement } from './requirement.ts';

const GUARDED_CALLS = 'apps/server/src/boundary/guarded-calls.test.ts';
const GUARDED_SERVER = 'apps/server/src/boundary/guarded-server.test.ts';
const BOUNDARIES = 'apps/server/src/boundary/boundaries.test.ts';
const LOG = 'apps/server/src/audit/audit-log.test.ts';
const VERIFY = 'apps/server/src/audit/verify-export.test.ts';
const TREE = 'apps/server/src/audit/merkle-tree.test.ts';
const NOTE = 'apps/server/src/audit/signed-note.test.ts';
const STORE = 'apps/server/src/store/audit-store.contract.ts';
const CLI = 'apps/cli/src/audit.test.ts';
const HTTP = 'apps/server/src/http/audit-routes.test.ts';
const E2E = 'e2e/audit.test.ts';

/** The audit log. */
export const audit: readonly Requirement[] = [
  {
    id: 'AUDIT-1',
    promise:
      'an answer is acknowledged only when its record is on disk: after kill -9 in the middle the log has it, and verifies',
    source: 'issue: The boundary (Audit); design: Rules that hold everywhere',
    tests: [
      ...of(
        E2E,
        'has every answer that was acknowledged, and verifies, after the server was killed in the middle of an answer',
      ),
      ...of(STORE, 'numbers records from 0 without gaps, in the order of their calls, and keeps their canonical JSON'),
      ...of(
        'apps/server/src/requests/audited-request.test.ts',
        'acknowledges no answer whose record could not be stored',
        'records who decided what, and neither what was asked nor what was said',
      ),
    ],
  },
  {
    id: 'AUDIT-2',
    promise:
      'records hold who, what, which tool and how it is held: no path, argument, environment or header in the clear',
    source: 'boundary 5',
    tests: [
      ...of(E2E, 'holds no path, argument or secret in the clear, and neither does the log of the server'),
      ...of(
        LOG,
        'says who decided what about which tool, and keeps neither argument nor path',
        'keeps of what agents and clients say only what has a known form, cut to size',
        'tells enforcement by level and by topic of each gap, since a gap may name a path',
        'labels the repository that a root lies in',
        'has every root of a boundary, and of the files that an agent names no more than fit',
      ),
    ],
  },
  {
    id: 'AUDIT-8',
    promise:
      'sessions, their boundary and each agent process with what confines it are recorded, from the beginning to the end',
    source: 'boundary 5',
    tests: of(
      'apps/server/src/sessions/audited-session.test.ts',
      'tells of a session its beginning, its boundary, its processes and its end, with who wanted them',
      'tells of a fork where it came from, and of a terminated session that it was',
    ),
  },
  {
    id: 'AUDIT-3',
    promise:
      'everything under a directory can be asked for by labels; revealing a path is recorded; destroying the path key erases paths',
    source: 'boundary 5',
    tests: [
      ...of(
        LOG,
        'reveals paths to who has the key, after that itself is recorded',
        'has no path left once the path key is destroyed, and seals later ones under a new key',
        'keeps each key in a file that only its owner reads, and refuses one that others may read',
      ),
      ...of(HTTP, 'finds what is under a directory by its path, and not what only begins with the same letters'),
    ],
  },
  {
    id: 'AUDIT-4',
    promise:
      '100,000 records are verified; one flipped bit, one record removed, two swapped, the tail cut: each is found and named',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        VERIFY,
        'finds nothing wrong with what nobody touched',
        'goes through 100,000 records, and names the one that was changed',
        'names the record in which one bit was flipped, in whichever byte of it',
        'narrows a record that was changed together with its hash down to the checkpoint before and after',
        'names a record that was removed',
        'names two records that were swapped, and nothing else',
        'names the records of a tail that was cut, also where the end was made to fit',
        'finds by a checkpoint that was kept that the log was cut back to an earlier checkpoint of its own',
        'finds by a checkpoint that was kept that the whole log was written and signed anew',
        'checks each record of a part of the log by its own proof',
      ),
      ...of(E2E, 'finds in its own store what somebody changed there'),
      ...of(CLI, 'exports what it can check without a server, and says which record somebody changed'),
    ],
  },
  {
    id: 'AUDIT-5',
    promise: 'canonical JSON, hash tree, proofs and signed notes are those of RFC 8785, RFC 6962 and C2SP',
    source: 'boundary 5',
    tests: [
      ...of(
        'apps/server/src/audit/canonical-json.test.ts',
        'writes the numbers of RFC 8785, appendix B, as that has them',
        'sorts members by code units, as RFC 8785, 3.2.3, has them',
      ),
      ...of(
        TREE,
        'has the roots of the reference tests of RFC 6962',
        'gives the proofs of the reference tests of RFC 6962',
        'proves that each tree is the beginning of every later one, and of no other',
      ),
      ...of(NOTE, 'of the documentation of another implementation is read, and its key'),
    ],
  },
  {
    id: 'AUDIT-6',
    promise:
      'checkpoints are signed after a number of records, after a time, and at the end; keys are rotated under both signatures',
    source: 'boundary 5',
    tests: [
      ...of(
        LOG,
        'signs a checkpoint with the record that fills its number, not before',
        'signs a checkpoint when its time has come, and none while nothing is new',
        'records start and stop, and signs all that it has at the end',
        'goes on under a new key that the old one vouched for',
        'says in the log that the signing key was replaced, when it was lost',
      ),
      ...of(VERIFY, 'follows a rotation of keys from the old key to the new one, and back'),
      ...of('apps/server/src/config.test.ts', 'takes the settings of the audit log up to their edges, and none beyond'),
    ],
  },
  {
    id: 'AUDIT-7',
    promise:
      'the log is searched, followed, exported (JSON lines, OCSF) and checked from the command line and over HTTP',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        CLI,
        'shows what was decided, newest last, and finds it again by kind, decision and directory',
        'follows what comes',
        'has the server check its own log, reveals paths, and changes the key',
      ),
      ...of(HTTP, 'gives an export that can be checked without it, whole or in part, and one for OCSF'),
      ...of(
        'apps/server/src/audit/ocsf-event.test.ts',
        'gives each record as an event of OCSF with its class, its decision and the hash that the log has of it',
      ),
    ],
  },
  {
    id: 'AUDIT-9',
    promise:
      'what was refused is recorded as refused, with who did it: calls that never reached their server, and files outside the roots; what confines a server is recorded once for each process',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        GUARDED_CALLS,
        'that never reached the server are recorded as denied, with who refused them, whatever policies say',
      ),
      ...of(GUARDED_SERVER, 'is recorded once for each process, however often it is told'),
      ...of(
        'apps/server/src/audit/facts-of-governance.test.ts',
        'tells who kept a call from its server, and OCSF that it was denied',
      ),
      ...of(
        'apps/server/src/sessions/local-services.test.ts',
        'leaves a record of what was refused outside the roots, and of a thousand refusals few',
        'leaves a record of a command that was refused its directory, and none of one that is not there',
      ),
    ],
  },
  {
    id: 'AUDIT-14',
    promise: 'what is recorded of one MCP server is found by its name or fingerprint, also in older records',
    source: 'boundary 5; issue: The boundary (Audit)',
    tests: [...of(STORE, 'finds records of an MCP server by its name or its fingerprint, and with other conditions')],
  },
  {
    id: 'AUDIT-17',
    promise:
      'a filter that no record can match is refused with what there is, and times are written as people say them',
    source: 'issue: The boundary (Audit); house style: messages say the next step',
    tests: [
      ...of(
        HTTP,
        'names the kinds of the same topic where one is none',
        'says what was expected where a filter is none',
      ),
      ...of(CLI, 'shows what was decided, newest last, and finds it again by kind, decision and directory'),
    ],
  },
  {
    id: 'AUDIT-10',
    promise: 'the number of a revision stands for one scope: it is never used again, also after the server was killed',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        BOUNDARIES,
        'is kept before anything is recorded under it, and goes on from there when the session is opened again',
      ),
      ...of(
        'apps/server/src/sessions/session-boundary.test.ts',
        'is in the record of the session in the very tick of each revision, also while an earlier one is carried out',
      ),
    ],
  },
  {
    id: 'AUDIT-19',
    promise:
      'records that nobody waits for share a transaction, come before what is written after them, and are not lost when the server stops',
    source: 'events (batches are written), boundary 5',
    tests: [
      ...of(
        'apps/server/src/store/sqlite/operation-queue.test.ts',
        'shares one message with all that comes in a while',
        'goes with the next write that somebody waits for, before it',
        'is written before the queue is closed',
      ),
      ...of(
        STORE,
        'has a record that nobody waits for, in the order of the calls, for reads at once, and by itself after a while',
        'loses no record that nobody waited for when it is closed',
      ),
    ],
  },
];
