import { of, type Requirement } from './requirement.ts';

const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const SETUP = 'apps/server/src/sessions/session-setup.test.ts';
const BROKER = 'apps/server/src/requests/request-broker.test.ts';
const INTEROP = 'e2e/interop.test.ts';
const REAL = 'e2e/real-agents.reeve.test.ts';
const DIRECT = 'e2e/real-agents.direct.test.ts';
const RESTORE = 'e2e/restore.test.ts';
const ERRORS = 'e2e/setup-errors.test.ts';
const TWO = 'e2e/two-answers.test.ts';
const TWO_NAME = 'is won by exactly one of them, %s times, and the agent gets one answer';

/** The setup of a session, and what agents ask of people. */
export const requests: readonly Requirement[] = [
  {
    id: 'SETUP-1',
    promise:
      'session/new without mcpServers, with a relative cwd or malformed servers: -32602 that names path and mend, on every transport',
    source: 'protocol 2',
    tests: of(
      ERRORS,
      'is refused without mcpServers, and says to send an empty list',
      'is refused with a relative, empty or absent cwd',
      'is refused with a cwd that does not exist, which it names',
      'is refused with %s',
      'is refused with two servers of one name',
      'names every place at once, and shows no secret',
      'is refused the same way on load and resume',
    ),
  },
  {
    id: 'SETUP-2',
    promise: "the agent's own -32602 passes with its data, our words beside it",
    source: 'protocol 2',
    tests: [
      ...of(SETUP, 'passes on the refusal of the agent itself, with its data and our words beside it'),
      ...of(REAL, "passes the agent's own -32602 on with its data"),
    ],
  },
  {
    id: 'SETUP-3',
    promise: 'the -32602 of claude-code 0.16.0 is reproduced direct and explained through Reeve',
    source: 'agents; protocol 2',
    tests: [
      ...of(DIRECT, 'is refused by claude-code with -32602, as the schema says'),
      ...of(REAL, 'is refused without mcpServers over %s, and told the mend'),
    ],
  },
  {
    id: 'SETUP-4',
    promise: 'requestedSessionId is an alias, unique on the server, accepted wherever an id is',
    source: 'protocol 1',
    tests: of(
      SETUP,
      'gives a session its alias, and refuses one that is taken, also when both come at once',
      'accepts the alias wherever a session id goes, and speaks of the session by its id',
      'renames a session whose id another one has, both ways',
    ),
  },
  {
    id: 'REQUEST-1',
    promise: 'two clients answer the same permission at once: one wins, the agent gets one answer, the other is told',
    source: 'design: A request; issue: What it must show',
    tests: [
      ...of(TWO, TWO_NAME, 'is told apart also when one of them is the HTTP API'),
      ...of(BROKER, 'lets exactly one of two answers win, a thousand times'),
    ],
  },
  {
    id: 'REQUEST-2',
    promise: 'what was not offered is refused, and the request goes on waiting',
    source: 'design: A request',
    tests: [
      ...of(BROKER, 'refuses what was not offered and still takes an answer that was'),
      ...of(ASKED, 'refuses an answer that was not offered, and asks again'),
    ],
  },
  {
    id: 'REQUEST-3',
    promise: 'a request is delivered again after a reconnect, to whoever comes',
    source: 'design: A request',
    tests: [
      ...of(ASKED, 'is asked again of a client that comes back, and of one that comes first'),
      ...of('packages/client/src/reconnect.test.ts', 'asks for a permission again, which then can be answered'),
    ],
  },
  {
    id: 'REQUEST-4',
    promise: 'keyed by agent epoch: an old answer reaches no new process though ids start again',
    source: 'protocol 8',
    tests: [
      ...of(ASKED, 'is void when its process is gone: an old answer reaches no new process, though ids start again'),
      ...of(RESTORE, 'voids what its agent had asked: an old answer never reaches the new process'),
      ...of(BROKER, 'settles each request exactly once, however answers, cancels and ends interleave'),
    ],
  },
  {
    id: 'REQUEST-5',
    promise: 'session/cancel answers what waits as cancelled, for absent clients too',
    source: 'protocol 8',
    tests: [
      ...of(ASKED, 'is answered as cancelled when the turn is cancelled, also what is asked after that'),
      ...of(INTEROP, 'cancels a turn, also one that waits for a permission'),
    ],
  },
  {
    id: 'REQUEST-6',
    promise: '$/cancel_request and the requestId of an elicitation are rewritten with the ids',
    source: 'protocol 8',
    tests: of(
      ASKED,
      'is withdrawn by the agent under the id that each client knows',
      'tied to the prompt reaches the prompter with the id of its own, the others as a question of the session',
    ),
  },
  {
    id: 'REQUEST-7',
    promise: 'replies map to the nearest option, never granting more than was asked',
    source: 'protocol 1',
    tests: of(
      'packages/protocol/src/permission.test.ts',
      'answers %s to %j with %s (nearest: %s)',
      'never grants more than was asked, whatever is offered',
    ),
  },
  {
    id: 'REQUEST-8',
    promise:
      'a question that is open when its turn ends is answered as cancelled; one asked outside of turns goes on waiting',
    source: 'design: A request',
    tests: of(
      ASKED,
      'is answered as cancelled when its turn ends without an answer; a question outside of turns goes on waiting',
    ),
  },
];
