import { of, type Requirement } from './requirement.ts';

const ENDING = 'apps/server/src/sessions/ending.test.ts';
const AGENT_SESSIONS = 'apps/server/src/sessions/agent-sessions.test.ts';
const FORK = 'apps/server/src/sessions/session-fork.test.ts';
const UPDATES = 'apps/server/src/sessions/relayed-updates.test.ts';
const EVENTS = 'apps/server/src/acp/poll-events.test.ts';
const E2E = 'e2e/lifecycle.test.ts';
const REAL = 'e2e/lifecycle-real-agents.test.ts';

/** How sessions begin, go on, multiply and end: the rows of the session surface, with agents that have the feature and that lack it. */
export const lifecycle: readonly Requirement[] = [
  {
    id: 'LIFECYCLE-LIST',
    promise:
      'session/list and _sandboxagent/session/list: this server’s sessions, then those that only the agent knows',
    source: 'protocol 1, list',
    tests: [
      ...of(
        AGENT_SESSIONS,
        'goes on with the sessions that only the agent knows, page by page, each once',
        'is this server’s own list with an agent that has none',
        'refuses a cursor that it did not make, and says what to do',
        'says when the agent %s, and gives the rest all the same',
      ),
      ...of(REAL, 'that another program has are listed, taken over with their history, and go on'),
    ],
  },
  {
    id: 'LIFECYCLE-ADOPT',
    promise: 'load and resume take over a session that only the agent knows; one that nobody knows is not found',
    source: 'protocol 1, load and resume; conformance LOAD, RESUME',
    tests: [
      ...of(
        AGENT_SESSIONS,
        'is taken over by load, with its history in our log (%s)',
        'is taken over by resume without a word of history',
        'is taken over by load when resume is asked of an agent without it: the log has the history, the client none',
        'is taken over once by those who come at the same time',
        'is unknown when the agent does not know it either (%s)',
      ),
      ...of(
        REAL,
        'that another program has are listed, taken over with their history, and go on',
        'that another program has are taken over by resume without a word of history',
      ),
    ],
  },
  {
    id: 'LIFECYCLE-FORK',
    promise:
      'session/fork and _sandboxagent/session/fork: by the agent, else by telling the transcript; a log of its own',
    source: 'protocol 1, fork',
    tests: [
      ...of(
        FORK,
        'goes on from the parent in a session of its own, with its history, metadata and choices',
        'works when the parent is %s',
        'can be forked again',
        'has the name, the metadata and the choices that the request gives it',
        'leaves nothing to find when its name is taken meanwhile',
        'is refused for metadata that is amiss, before an agent is started',
        'is found by nobody before it is whole',
        'begins anew where a server died before the fork was whole',
        'during a turn goes on from the last finished one, told by the transcript',
        'by transcript is still told what was said when its process ended before the first prompt',
        'is refused for a session that there is not, and for a directory that there is not',
      ),
      ...of(E2E, 'are forked, terminated and listed with an agent that %s; a fork outlives the server'),
      ...of(REAL, 'are forked while the parent lives, and both go on'),
    ],
  },
  {
    id: 'LIFECYCLE-TERMINATE',
    promise: 'terminate ends turn and process now, is idempotent, and keeps the session',
    source: 'protocol 1, terminate',
    tests: of(
      ENDING,
      'can be now: terminate cancels the turn, kills the tree without grace, and tells everybody; again is no error',
      'is no affair of an observer, who may leave',
      'by terminate is refused for a session that there is not',
    ),
  },
  {
    id: 'LIFECYCLE-ENDED',
    promise: 'who is attached is told that a session ended, why and by whom',
    source: 'protocol 1, terminate and close',
    tests: of(
      ENDING,
      'by %s tells every attached client; doing it again is no error',
      'by the end of the server tells them too',
    ),
  },
  {
    id: 'LIFECYCLE-IDEMPOTENT',
    promise:
      'close, delete, detach and terminate may be repeated; close of what there is not is refused, delete is not',
    source: 'protocol 1, close, delete and detach; conformance DELETE, CLOSE',
    tests: of(
      ENDING,
      'by %s tells every attached client; doing it again is no error',
      'is unknown to close, and unknown to delete without error',
      'is left twice without error, and not left where there is none',
    ),
  },
  {
    id: 'LIFECYCLE-DELETE',
    promise:
      'delete reaches an agent that can delete; with one that cannot the session does not come back into the list',
    source: 'protocol 1, delete; conformance DELETE-001',
    tests: of(
      AGENT_SESSIONS,
      'reaches an agent that can delete when the session is %s',
      'does not show what was deleted here again, though the agent cannot delete',
    ),
  },
  {
    id: 'LIFECYCLE-CANCEL',
    promise: 'a cancelled turn is answered in time whatever its agent does, and the next prompt is not held up by it',
    source: 'protocol 1, cancel; 5; conformance CANCEL-001',
    tests: of(
      ENDING,
      'is answered after timeouts.cancelMs though the agent goes on; what that still says is relayed',
      'and that the agent never ends costs the agent its process when the next prompt comes',
      'waits for the agent as long as it takes when timeouts.cancelMs is 0',
      'by one who joined it ends for that one only, while another waits for it',
      'by one who joined it ends, when the one who began it has gone',
    ),
  },
  {
    id: 'LIFECYCLE-UPDATES',
    promise:
      'every kind of update, known or not, during and after a turn, reaches clients, log and later loads as it came',
    source: 'protocol 8; design: A relay is honest',
    tests: of(
      UPDATES,
      'that is %s reaches clients, the log and later loads bit for bit',
      'that is %s and comes after the turn is relayed and kept too',
    ),
  },
  {
    id: 'LIFECYCLE-EVENTS',
    promise: 'the log can be read by pages: bounds, order, size, without being attached',
    source: 'protocol 1, poll events',
    tests: of(
      EVENTS,
      'gives the log in order, page by page, to whoever asks, attached or not, live or closed',
      'takes a limit from 1 to 1000 and a cursor up to the last event, and says so otherwise',
      'ends a page when it has a mebibyte, with at least one event',
    ),
  },
];
