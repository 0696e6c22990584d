import { of, type Requirement } from './requirement.ts';

const ASKED = 'apps/server/src/sessions/asked-requests.test.ts';
const QUESTIONS = 'apps/server/src/sessions/asked-questions.test.ts';
const TRANSLATION = 'packages/protocol/src/question-translation.test.ts';
const E2E_QUESTIONS = 'e2e/questions.test.ts';
const CLI = 'apps/cli/src/cli.test.ts';
const ASK_QUESTION = 'apps/cli/src/ask-question.test.ts';
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
    id: 'SETUP-AGENT',
    promise:
      'session/new may name another agent than the connection’s; setup is checked against the agent of the session',
    source: 'protocol 1, create-time metadata; which agent',
    tests: of(SETUP, 'gives a session the agent that it names, with what that agent can, over any connection'),
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
  {
    id: 'REQUEST-9',
    promise: 'two options of one kind: a reply takes the first, and which one that was is told and kept',
    source: 'issue 3: Permission replies; protocol 1, permission',
    tests: [
      ...of('packages/protocol/src/permission.test.ts', 'answers %s to %j with %s (nearest: %s)'),
      ...of(
        E2E_QUESTIONS,
        'keeps which option a reply was mapped to: in the answer, in what is told to others, and in the log',
      ),
      ...of(CLI, 'says which option was taken where the exact one was not offered'),
    ],
  },
  {
    id: 'REQUEST-10',
    promise: 'what nobody answers in time is rejected by an option that rejects, never cancelled while one is offered',
    source: 'protocol 8: on time-out pick a reject option',
    tests: [
      ...of(BROKER, 'rejects what nobody answered in time: a kind that rejects, else cancelled'),
      ...of(E2E_QUESTIONS, 'what nobody answers is rejected in time, though every client has left'),
    ],
  },
  {
    id: 'QUESTION-1',
    promise: 'a question goes to a client by the method that it knows: the agent’s own, else the other one',
    source: 'protocol 3; seed session-extensibility 3.2',
    tests: [
      ...of(E2E_QUESTIONS, '%s'),
      ...of(
        'e2e/questions-real-agents.test.ts',
        'reaches a client that only knows questions, and Claude gets the answer',
        'is answered over HTTP in words of one’s own when the client leaves it open',
      ),
      ...of(
        QUESTIONS,
        'reaches a client that knows the method as the agent asked it, with its id, options and status beside',
        'is a form to a client that only knows elicitation: its %s is the answer',
        'is a question to a client that only knows those',
        'goes to clients of both kinds at once: the first valid answer wins, the other is told',
      ),
    ],
  },
  {
    id: 'QUESTION-2',
    promise: 'where no client can be asked it waits in the inbox: HTTP and the command line answer it',
    source: 'protocol 3',
    tests: [
      ...of(QUESTIONS, 'waits in the inbox when the client knows neither; null and an empty object mean no'),
      ...of(
        E2E_QUESTIONS,
        '%s waits for HTTP where the client knows neither, and reads the same',
        'waits for the command line where the client knows neither',
      ),
      ...of(CLI, 'has a question answered by requests answer: several options, a text, a rejection with its reason'),
    ],
  },
  {
    id: 'QUESTION-3',
    promise:
      'question and form are translated both ways without loss; a form of more than one question is not translated',
    source: 'protocol 3: translates both ways',
    tests: [
      ...of(
        TRANSLATION,
        'reads as the same question again, whatever it asks',
        'takes every answer to the question, and gives it back',
        'is none when it asks for more than one thing, or for what nobody knows',
      ),
      ...of(QUESTIONS, 'that is more than one question waits in the inbox, where its form is filled in'),
      ...of('e2e/schema.test.ts', 'everything that Reeve sends to a client is valid by the schema of ACP v1'),
    ],
  },
  {
    id: 'QUESTION-4',
    promise: 'an answer that does not fit what was asked is refused with the reason, and may be given again',
    source: 'issue 3: Questions; design: A request',
    tests: [
      ...of('packages/protocol/src/question.test.ts', 'refuses %s'),
      ...of(
        'packages/protocol/src/elicitation.test.ts',
        'holds a field against its schema %j: %j is taken, %j is not',
        'wants every field that is required, and none that was not asked for',
      ),
      ...of(QUESTIONS, 'whose answer breaks the form is refused, and asked again with the reason'),
      ...of(
        'apps/server/src/requests/check-answer.test.ts',
        'an answer is a result that the method allows, or is refused; nothing throws',
      ),
    ],
  },
  {
    id: 'QUESTION-5',
    promise:
      'a question is cancelled with its turn or by its agent, survives its client, and is void without its process',
    source: 'protocol 3, 8; design: A request',
    tests: [
      ...of(
        QUESTIONS,
        'is cancelled with its turn',
        'that its agent takes back is withdrawn under the id that each client knows',
        'survives its client: whoever comes next is asked, in the form that it knows',
      ),
      ...of(
        E2E_QUESTIONS,
        'a question of an agent that ended with the server is void: nobody is asked, no answer counts',
      ),
    ],
  },
  {
    id: 'QUESTION-6',
    promise:
      'a URL goes only to clients that can show one, who are told when it is done; the command line never opens it',
    source: 'issue 3: URL mode; ACP, elicitation',
    tests: [
      ...of(QUESTIONS, 'with a URL goes to clients that can show one; they are told when it is done'),
      ...of(
        ASK_QUESTION,
        'is shown as it came, and answered by who was there',
        'is declined unseen when its address could deceive: %j',
      ),
    ],
  },
  {
    id: 'QUESTION-7',
    promise: 'an agent is told of a client what the client said, questions always, forms where they become questions',
    source: 'design: Capabilities are true; protocol 1',
    tests: [
      ...of(QUESTIONS, 'is what the client said, and what Reeve makes of it'),
      ...of(E2E_QUESTIONS, 'is announced to every client'),
    ],
  },
  {
    id: 'QUESTION-8',
    promise: 'the command line asks whoever sits there, and rejects where nobody does unless told to wait',
    source: 'issue 3: Questions',
    tests: [
      ...of(
        'apps/cli/src/permission-policy.test.ts',
        'puts questions to the person, also where permissions are given',
        'rejects questions where nobody sits, and says so; with wait they are left to others',
      ),
      ...of(ASK_QUESTION, 'is asked until the answer fits, and brings no escape sequence along'),
      ...of(CLI, 'rejects a question where nobody sits'),
    ],
  },
];
