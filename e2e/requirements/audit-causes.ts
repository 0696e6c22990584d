import { of, type Requirement } from './requirement.ts';

const ASKED_ROOTS = 'apps/server/src/boundary/asked-roots.test.ts';
const GUARDED_CALLS = 'apps/server/src/boundary/guarded-calls.test.ts';
const LOG = 'apps/server/src/audit/audit-log.test.ts';
const VERIFY = 'apps/server/src/audit/verify-export.test.ts';
const STORE = 'apps/server/src/store/audit-store.contract.ts';
const CLI = 'apps/cli/src/audit.test.ts';
const TRACES = 'e2e/audit-traces.test.ts';

/** What a record says of its cause: who, by which decision, in which trace. */
export const auditCauses: readonly Requirement[] = [
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
    id: 'AUDIT-15',
    promise:
      'a call says who approved it and in which request, an exposure by which policies and grants each root was given',
    source: 'boundary 5 (approval state + by + expiry, cause id, policy ids)',
    tests: [
      ...of(ASKED_ROOTS, 'are recorded with what each was given by: policies, and the grant of a person'),
      ...of(GUARDED_CALLS, 'are approved once: also when the answer comes after nobody waits any more'),
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
      ASKED_ROOTS,
      'are recorded with what each was given by: policies, and the grant of a person',
      'are taken with the whole server when its approval expires, and the records say that',
    ),
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
];
