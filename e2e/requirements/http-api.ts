import { of, type Requirement } from './requirement.ts';

const CONTROL = 'apps/server/src/http/control-api.test.ts';
const ALONE = 'e2e/http-alone.test.ts';

/** The control API. */
export const httpApi: readonly Requirement[] = [
  {
    id: 'HTTP-A',
    promise: 'a session can be driven by HTTP alone: created, prompted, followed, answered, cancelled, closed',
    source: 'issue 3, HTTP control API',
    tests: [
      ...of(
        ALONE,
        'is created, prompted, answered and closed',
        'goes on without its caller, is followed by its events, and is cancelled by another call',
        'queues prompts in order, gives each its own words, and runs no idempotency key twice',
        'is renamed, given another model, and terminated in the middle of its turn',
        'is woken by a prompt after its process is gone',
      ),
      ...of(
        CONTROL,
        'creates a session, and says where it is',
        'answers a prompt at the end of its turn, or at once when told not to wait',
        'terminates a session and changes what is kept of it',
        'lets a turn go on when its caller leaves',
      ),
    ],
  },
  {
    id: 'HTTP-B',
    promise: 'the API describes itself truly: OpenAPI 3.1, and a page that may run nothing',
    source: 'issue 3, HTTP control API',
    tests: [
      ...of(
        'apps/server/src/http/openapi.test.ts',
        'is of version 3.1 and has every path that is served',
        'names each operation once, and every parameter of its path',
        'has schemas that JSON Schema 2020-12 can read, and a problem for every error',
        'says which paths are open to strangers, and those are',
        'is a page for people, which may run nothing',
      ),
      ...of(ALONE, 'answers in the shapes that its OpenAPI document gives'),
    ],
  },
  {
    id: 'HTTP-C',
    promise: 'errors are problems of the one table, an agent’s own keep its words',
    source: 'issue 3, HTTP control API',
    tests: [
      ...of(CONTROL, 'refuses %s with %i, and says the next step'),
      ...of(ALONE, 'says what is wrong, in the words of the one table of errors'),
    ],
  },
  {
    id: 'HTTP-D',
    promise: 'attachments go by link, or inline as far as the agent takes them, with their names',
    source: 'protocol 1, attachments',
    tests: [
      ...of(
        'apps/server/src/http/prompt-blocks.test.ts',
        'begins with the words, or the blocks that were given',
        'links files and addresses, whatever the agent can',
        'sends pictures and sound as such, other bytes and text as embedded resources',
        'tells an agent without embedded resources the text in words, and refuses bytes with the next step',
      ),
      ...of(ALONE, 'carries attachments by link and inline, with their names'),
    ],
  },
  {
    id: 'HTTP-EVENTS',
    promise:
      'the log of a session is paged both ways, and one stream tells what changes on the whole server, nothing lost without a word',
    source: 'issue 6, SDK and console',
    tests: [
      ...of(CONTROL, 'pages events backwards, in order all the same'),
      ...of(
        'apps/server/src/http/change-routes.test.ts',
        'tells what became of a session once for all that happened to it in a moment, and what waits for a person',
        'tells alarms without the path',
        'goes on where a reader was, unless something was missed',
        'outlives a session that cannot be read, and ends with the server',
      ),
      ...of(
        'apps/server/src/events/change-feed.test.ts',
        'begin with a resync, then are told in order to every reader',
        'go on after the last one that a reader has, and only then',
        'are kept up to a bound: a reader that is too slow is told to read again',
      ),
    ],
  },
  {
    id: 'HTTP-SEARCH',
    promise:
      'sessions are found by the words of their titles and of what was said, in every store, without a cost before somebody searches',
    source: 'issue 6, sessions',
    tests: [
      ...of(
        'apps/server/src/store/session-store.contract.ts',
        'finds sessions by the words of their title and of what was said in them, by pages',
      ),
      ...of(
        'apps/server/src/sessions/index-sessions.test.ts',
        'is indexed when somebody searches, and what comes later by the next search',
        'is left for the next search when the time is over',
      ),
      ...of('packages/client/src/live/live.test.ts', 'find sessions by what was said in them and by their titles'),
    ],
  },
  {
    id: 'HTTP-NEXT-STEP',
    promise: 'input that is refused is told with a next step in words, and a member that nobody knows by its name',
    source: 'house style, 10; design: messages say the next step',
    tests: of(
      'apps/server/src/http/expectation-of-issue.test.ts',
      'says what to send: %j',
      'names a member that nobody knows, and says to leave it out',
      'names no more of them, and no more of each, than is read',
    ),
  },
  {
    id: 'HTTP-CALLER',
    promise: 'whoever acts over HTTP is known to others and to the audit log by the name and version that it gives',
    source: 'issue 6: answered elsewhere, it says by whom; design, 4',
    tests: [
      ...of(ALONE, 'is in the audit log as begun and ended by whom its caller says that it is'),
      ...of(
        'apps/server/src/http/control-api.test.ts',
        'tells others who it is that answers, as the caller names itself',
        'does nothing for a caller with a name like %j',
      ),
      ...of(
        'packages/protocol/src/client-name.test.ts',
        'is a name and a version',
        'is nothing else: %j',
        'never has a space, a control or a sign that reorders text, whatever is sent',
      ),
      ...of('apps/server/src/acp/client-label.test.ts', 'is never what stands for Reeve itself'),
      ...of('packages/client/src/connect-reeve.test.ts', 'says who calls: this SDK, or the program that uses it'),
    ],
  },
  {
    id: 'HTTP-FORK',
    promise: 'a session is forked over HTTP as it is over ACP',
    source: 'protocol 1',
    tests: [
      ...of('apps/server/src/http/control-api.test.ts', 'forks a session as it is asked to, or as it is'),
      ...of(
        'apps/server/src/http/session-driver.test.ts',
        'forks a session with what was said in it, and refuses one of ACP v2',
      ),
      ...of('apps/cli/src/cli.test.ts', 'are forked'),
    ],
  },
];
