import { of, type Requirement } from './requirement.ts';

const WANTED = 'apps/server/src/acp/wanted-version.test.ts';
const SESSIONS = 'apps/server/src/sessions/version-two.test.ts';
const FOREGROUND = 'apps/server/src/sessions/foreground.test.ts';
const E2E = 'e2e/versions.test.ts';
const REAL = 'e2e/versions-real-agents.test.ts';
const SOURCE = 'issue: The whole session surface, ACP v2';

/** ACP v2 beside v1. */
export const versions: readonly Requirement[] = [
  {
    id: 'VERSION-1',
    promise: 'each connection negotiates its version; an agent that speaks both is opened in that of the client',
    source: SOURCE,
    tests: [
      ...of(
        WANTED,
        'is v1 for %d in the words of v1',
        'is v2 for %d in the words of v2',
        'is v1 for 1, whatever the words',
        'is none where v2 is asked for without saying who asks: %j',
        'is 2 where a later version introduces itself in a way that v2 does not know',
        'is none for %j',
      ),
      ...of(
        SESSIONS,
        'speaks v2 with an agent that does, and v1 with the same agent for a client of v1',
        'of a later version is answered with 2',
        'of v2 has no request without an id that can be answered',
      ),
      ...of(E2E, 'opens an agent that speaks both in v2, beside a client of v1 that opens it in v1'),
      ...of('apps/server/src/agents/acp-version.test.ts', 'is told an agent in the words of its version'),
    ],
  },
  {
    id: 'VERSION-2',
    promise: "otherwise v2 is refused with the protocol's own error, and the client may come back in v1",
    source: SOURCE,
    tests: [
      ...of(
        SESSIONS,
        'is refused with the error of the protocol when the agent speaks v1 only, and may come back in v1',
      ),
      ...of(REAL, 'the real agent opencode speaks v1: a client of v2 is refused with the error of the protocol'),
    ],
  },
  {
    id: 'VERSION-3',
    promise: 'the log records the version of each message',
    source: SOURCE,
    tests: [
      ...of(SESSIONS, 'answers a prompt when it is inserted, and tells how the work goes on, bit for bit'),
      ...of(E2E, 'opens an agent that speaks both in v2, beside a client of v1 that opens it in v1'),
    ],
  },
  {
    id: 'VERSION-4',
    promise: 'everything that Reeve sends to a client of v2 is valid by the schema of ACP v2',
    source: SOURCE,
    tests: of(
      E2E,
      'holds against a schema of ACP v2 that does refuse',
      'everything that Reeve sends to a client of v2, and answers an agent, is valid by the schema of ACP v2',
    ),
  },
  {
    id: 'VERSION-5',
    promise:
      'a v2 session works as a v1 session does: prompts, permissions, options, cancel, close, delete, crash, idempotency keys',
    source: SOURCE,
    tests: [
      ...of(
        SESSIONS,
        'takes prompts while it works: each is inserted at once',
        'asks for permission as the agent does; another client answers; what the agent takes back is cancelled',
        'sets options by their type, tells the others, and sets them again with the choices of its creation',
        'is closed with its work told as cancelled, and deleted',
        'whose agent crashes is told to have failed, and is resumed by the next prompt',
        'may name another agent than its connection, held to what that one offers and speaks',
        'whose agent has forgotten its options is set as before',
        'answers a prompt with a key once',
        'takes a prompt back that was cancelled before the agent had it',
      ),
      ...of(
        FOREGROUND,
        'is idle until the agent says otherwise, and busy in every state that is not idle',
        'counts a repeated end once',
        'is ended by Reeve where the agent cannot any more, and only where work goes on',
        'lets who waits go when it is over, or when the wait is',
      ),
      ...of(REAL, 'streams a text turn', 'does what it was allowed to', 'stops when it is cancelled'),
    ],
  },
  {
    id: 'VERSION-6',
    promise:
      'resume replays the history of the log as v2 has it, then tells the present state, then answers, also after a restart',
    source: SOURCE,
    tests: [
      ...of(
        SESSIONS,
        'shows who resumes the history from the start, the present state, then the answer; without replay the state alone',
        'whose agent has lost it is not restored, and its log can still be read',
      ),
      ...of(FOREGROUND, 'gives who comes later the last state as it was told', 'tells what is no history'),
      ...of(E2E, 'comes back after a restart, and is shown the history'),
      ...of(REAL, 'goes on after the server was killed, with the history from the log, and remembers what was said'),
    ],
  },
  {
    id: 'VERSION-7',
    promise: 'a v2 session can be driven over HTTP, which waits for the end of the work',
    source: SOURCE,
    tests: [
      ...of(E2E, 'takes prompts, waits for the end of their work, and answers the same prompt the same'),
      ...of('apps/server/src/http/turn-text.test.ts', 'has what a message of v2 became, not what it was before'),
      ...of(REAL, 'is driven over HTTP too, to the end of its work'),
    ],
  },
  {
    id: 'VERSION-8',
    promise: 'a session keeps its version for life; a client of the other is told which it is',
    source: SOURCE,
    tests: [
      ...of(SESSIONS, 'is told in which version a session is, and lists, closes and deletes it all the same'),
      ...of('apps/server/src/agents/acp-version.test.ts', 'says nothing of what a client of another version can do'),
    ],
  },
];
