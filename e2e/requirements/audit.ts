import { of, type Requirement } from './requirement.ts';

const LOG = 'apps/server/src/audit/audit-log.test.ts';
const VERIFY = 'apps/server/src/audit/verify-export.test.ts';
const TREE = 'apps/server/src/audit/merkle-tree.test.ts';
const NOTE = 'apps/server/src/audit/signed-note.test.ts';
const STORE = 'apps/server/src/store/audit-store.contract.ts';
const CLI = 'apps/cli/src/audit.test.ts';
const HTTP = 'apps/server/src/http/audit-routes.test.ts';
const E2E = 'e2e/audit.test.ts';
const TRACES = 'e2e/audit-traces.test.ts';

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
        'apps/server/src/boundary/boundaries.test.ts',
        'that never reached the server are recorded as denied, with who refused them, whatever policies say',
        'is recorded once for each process, however often it is told',
      ),
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
    id: 'AUDIT-11',
    promise:
      'each record has a trace: a turn has one, that its client may name, and neither agent nor server can; of a traceparent nothing else is kept',
    source: 'boundary 5 (trace id); W3C Trace Context',
    tests: [
      ...of(
        TRACES,
        'has everything of one turn under the trace that its client named, and nothing under one that the agent names',
        'takes the trace of an HTTP request from its header, for what it changes and the prompt that it sends',
        'takes the trace of an ACP message over HTTP from its header, and before that from the message itself',
        'keeps nothing of a traceparent that is none, and gives each request a trace of its own then',
        'has no record without a trace, verifies as before, and says what a trace id is to whoever asks for something else',
      ),
      ...of('apps/server/src/audit/trace-id.test.ts', 'makes trace ids that are none twice'),
      ...of(
        'apps/server/src/audit/trace-scope.test.ts',
        'stays the same over what is waited for, and beside what is done meanwhile',
        'is that of the caller where it is well-formed, else a new one that nobody named',
        'of a message is that which it names, else of what brought it, also when it is dealt with later',
      ),
      ...of(LOG, 'writes each record under the trace in which it is told, and one of its own outside of every trace'),
      ...of(
        'apps/server/src/sessions/turn-traces.test.ts',
        'is that of its own prompt, however long that waited behind another one',
        'has the end of the process that crashed in it, and of the one that takes its place its start',
        'is another one for each prompt that names none',
        'is that of the last prompt in ACP v2, until its work is done',
        'is one of its own for a session that ends because nobody uses it',
      ),
      ...of(
        'apps/server/src/boundary/guard-traces.test.ts',
        'before the session has a name is of the trace in which it was opened, whoever binds it',
        'of a call and its alarm is of the turn in which it began, also when the server answers in another one',
        'of a change, down to what was found inside the restarted server, is of whoever wanted it',
        'of a root that is lost is of a trace of its own: nobody asked for that',
        'of a grant that expires is of a trace of its own',
      ),
      ...of(
        'apps/server/src/requests/audited-request.test.ts',
        'tells what becomes of a request in the trace in which it was asked, with the trace that whoever answered named',
      ),
    ],
  },
  {
    id: 'AUDIT-12',
    promise:
      'all of a trace is found, exported with proofs, and told to OCSF and the webhook; records without one verify as before',
    source: 'boundary 5 (trace id); OCSF 1.9, profile trace; CloudEvents, distributed tracing',
    tests: [
      ...of(STORE, 'finds records by their trace, also by that of whoever answered, and with other conditions'),
      ...of(
        VERIFY,
        'finds nothing wrong with records from before they had a trace, and with such a log that went on',
        'gives what a trace has with a proof of each, and names a record that was moved to another trace',
      ),
      ...of(
        'apps/server/src/audit/ocsf-event.test.ts',
        'gives each record as an event of OCSF with its class, its decision and the hash that the log has of it',
        'gives a record from before there were traces without the profile of traces',
      ),
      ...of(
        'apps/server/src/boundary/alarms.test.ts',
        'names the trace of the call as the extension of CloudEvents for traces has it, the same at each attempt',
      ),
      ...of(CLI, 'finds all that followed from one cause, and no more'),
      ...of('e2e/console/governance.test.ts', 'shows what else belongs to the trace of a record'),
    ],
  },
  {
    id: 'AUDIT-13',
    promise:
      'a place that somebody asked for and may not have is recorded, with who and why, by labels of the directories',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        'apps/server/src/sessions/audited-session.test.ts',
        'tells of a place that a client may not have, and why, though no session comes of it',
      ),
      ...of(
        'apps/server/src/boundary/place-refusal.test.ts',
        'is recorded of a boundary that a running session may not have, which stays as it was',
        'is recorded of a root that nobody may give a server',
      ),
      ...of(LOG, 'has of a place that was refused its label, and no path'),
    ],
  },
  {
    id: 'AUDIT-14',
    promise: 'what is recorded of one MCP server is found by its name or fingerprint, also in older records',
    source: 'boundary 5; issue: The boundary (Audit)',
    tests: [...of(STORE, 'finds records of an MCP server by its name or its fingerprint, and with other conditions')],
  },
  {
    id: 'AUDIT-15',
    promise:
      'a call says who approved it and in which request, an exposure by which policies and grants each root was given',
    source: 'boundary 5 (approval state + by + expiry, cause id, policy ids)',
    tests: [
      ...of(
        'apps/server/src/boundary/boundaries.test.ts',
        'are recorded with what each was given by: policies, and the grant of a person',
        'are approved once: also when the answer comes after nobody waits any more',
      ),
      ...of(
        'apps/server/src/mcp/gate/server-call-gate.test.ts',
        'of a person is recorded with who gave it or refused it, and the request',
      ),
      ...of(
        'apps/server/src/audit/facts-of-governance.test.ts',
        'names server, revision, decision and policies, and no path, argument or command',
      ),
    ],
  },
  {
    id: 'AUDIT-16',
    promise: 'every revision has a record, and so has the end of an approval and why a server was stopped by it',
    source: 'boundary 5 (one record per change)',
    tests: of(
      'apps/server/src/boundary/boundaries.test.ts',
      'are recorded with what each was given by: policies, and the grant of a person',
      'are taken with the whole server when its approval expires, and the records say that',
    ),
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
    id: 'AUDIT-18',
    promise: 'a server that asks somebody for what lies outside its roots raises an alarm of its own',
    source: 'boundary 3 (a server that asks for a directory outside its grants raises an alarm)',
    tests: of(
      'apps/server/src/mcp/screened-messages.test.ts',
      'raises an alarm of the server where it names a path outside, and goes on; inside none',
    ),
  },
  {
    id: 'AUDIT-10',
    promise: 'the number of a revision stands for one scope: it is never used again, also after the server was killed',
    source: 'issue: The boundary (Audit)',
    tests: [
      ...of(
        'apps/server/src/boundary/boundaries.test.ts',
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
