import { of, type Requirement } from './requirement.ts';

const TRAPS = 'apps/server/src/sessions/traps.test.ts';
const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const TURNS = 'apps/server/src/sessions/turns.test.ts';
const ATTACHING = 'apps/server/src/sessions/attaching.test.ts';
const HTTP = 'apps/server/src/acp/streamable-http.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';
const RESTORE = 'e2e/restore.test.ts';

/** Sessions, turns and restoring. */
export const sessions: readonly Requirement[] = [
  {
    id: 'SESSION-A',
    promise: 'several clients on one session: all see all; observers may look and not act',
    source: 'protocol 5',
    tests: [
      ...of(
        ATTACHING,
        'shows the same to everybody, whenever they came',
        'serves twenty clients a flood, each of them all of it',
        'lets an observer look at a dormant session without starting its agent',
        'lets only an observer look at a session whose directory is gone',
      ),
      ...of(ASKED, 'shows an observer nothing to answer, and lets it do nothing'),
      ...of(TURNS, 'is told to the others with what the user said; the prompter reads that only in a later load'),
    ],
  },
  {
    id: 'SESSION-B',
    promise: 'a turn outlives its client, who misses nothing',
    source: 'protocol 5',
    tests: [
      ...of(TURNS, 'outlives its client; who comes back has missed nothing, and gets the result by the key'),
      ...of(
        'apps/server/src/sessions/attachment.test.ts',
        'answers a turn that ended while its client attached anew, once, wherever the client wants to go on',
      ),
      ...of(REAL, 'goes on without its client, who comes back and has missed nothing'),
    ],
  },
  {
    id: 'SESSION-C',
    promise: 'an idempotency key never runs twice and gets the first result',
    source: 'protocol 5',
    tests: [
      ...of(TURNS, 'runs once per idempotency key: those who ask meanwhile and later get the first result'),
      ...of(RESTORE, 'tells a prompt that was running when the server died, and never runs its key twice'),
    ],
  },
  {
    id: 'SESSION-D',
    promise: 'prompts during a turn are queued in order, unless the client asks to be refused',
    source: 'protocol 5',
    tests: of(
      TURNS,
      'waits for those before it, and says behind how many',
      'is refused at once when the client does not want to wait, or too many wait',
    ),
  },
  {
    id: 'SESSION-E',
    promise:
      'after kill -9 sessions are listed, loadable and promptable, with real agents that have resume and that have only load',
    source: 'protocol 6',
    tests: [
      ...of(
        REAL,
        'goes on after the server was killed, and remembers what was said',
        'is restored by load after the server was killed, and remembers what was said',
      ),
      ...of(
        RESTORE,
        'is restored by %s, with its replay told once',
        'is restored by telling what was said, when the agent can neither resume nor load',
        'is restored once, for all who come at the same time',
        'is listed before anybody has loaded it, and its log can be read',
      ),
      ...of(TURNS, 'is followed by a restore through %s, with mode and options as they were chosen'),
    ],
  },
  {
    id: 'SESSION-F',
    promise: 'an agent that crashes mid-turn: answered at once with exit code, signal and stderr; what waits goes on',
    source: 'protocol 7',
    tests: [
      ...of(
        TURNS,
        'is answered at once with exit code, signal and stderr',
        'does not take those behind it along: the agent is restored for them',
      ),
      ...of(INTEROP, 'is told why a turn failed when its agent crashes, and can go on'),
    ],
  },
  {
    id: 'SESSION-G',
    promise: 'files and terminals of the client reach the agent, and only where a client offers them',
    source: 'protocol 1',
    tests: [
      ...of(INTEROP, 'serves files and terminals to the agent'),
      ...of(
        TRAPS,
        'goes to the one that offers it, the prompter first, and never to one that does not',
        'stays with the client whose terminal it is',
      ),
    ],
  },
  {
    id: 'SESSION-H',
    promise: 'late updates, lines of 32 MiB, ids of any type, unknown ids to delete',
    source: 'protocol 8',
    tests: of(
      TRAPS,
      'updates after the response of the prompt: delivered',
      'a line of 32 MiB: delivered whole; a longer one is dropped and reported',
      'requests of the agent with ids that are texts: answered with those',
      'session/delete goes to an agent that has it, and succeeds for what is unknown',
    ),
  },
  {
    id: 'SESSION-I',
    promise: "a client never gets another session's data",
    source: 'issue: What it must show',
    tests: [
      ...of(INTEROP, 'keeps two sessions of one connection apart'),
      ...of(HTTP, 'keeps what belongs to a session on the stream of that session'),
      ...of(TRAPS, 'many clients with the same ids: each response reaches its asker'),
    ],
  },
  {
    id: 'SESSION-CLIENTS',
    promise:
      'who is attached to a session, and who reads along, is told by name, way, role and time, as they come and go',
    source: 'issue 6: session, who is attached',
    tests: [
      ...of(
        'packages/client/src/live/live.test.ts',
        'show who is attached and who reads along, by what each says of itself, as they come and go',
      ),
      ...of(
        'apps/server/src/http/event-readers.test.ts',
        'are told by the name that they give, of their own session, until they leave',
        'are told a hundred at most',
      ),
      ...of(
        'apps/server/src/acp/client-label.test.ts',
        'comes with what it says of itself, each bounded, whatever that is',
      ),
      ...of(
        'apps/cli/src/describe-client.test.ts',
        'is told by what it says of itself, how it came, what it may, and since when',
        'writes nothing of a name to the terminal but text',
      ),
      ...of(
        'e2e/console/attached.test.ts',
        'shows who is attached and who reads along, and who comes and goes meanwhile',
      ),
    ],
  },
];
