import { of, type Requirement } from './requirement.ts';

const SRC = 'apps/console/src';

/** What people rely on in the console: that it tells how things stand, loses nothing, and asks before what cannot be taken back. */
export const consoleReliance: readonly Requirement[] = [
  {
    id: 'CONSOLE-FAILED',
    promise:
      'a session whose agent ended in a turn, or could not be started, is told as failed with why, until a turn ends well',
    source: 'issue 6: sessions with their state',
    tests: [
      ...of(
        'apps/server/src/sessions/session-state.test.ts',
        'has failed, with why, until a turn ends well; in lists over ACP too, and after it has left memory',
        'has not failed where the turn was cancelled, or the process ended between turns',
        'has failed, with why, until one comes up',
      ),
      ...of(
        'apps/cli/src/describe-turns.test.ts',
        'are told by why the last one failed, and by what waits, in order',
        'write nothing of an agent or a prompt to the terminal but text',
      ),
      ...of(
        'e2e/console/failed-session.test.ts',
        'is shown as failed, with why, in the list and its own screen, until a turn ends well',
        'has one state, also while nothing is under way',
      ),
    ],
  },
  {
    id: 'CONSOLE-QUEUE',
    promise: 'prompts that wait are told to everybody in their order, and none is lost when somebody cancels',
    source: 'issue 6: composer with queued prompts',
    tests: [
      ...of(
        'apps/server/src/sessions/session-state.test.ts',
        'are told in their order, with who sent them, until they begin or are cancelled',
      ),
      ...of(
        'e2e/console/queue.test.ts',
        'are shown in every browser and after a reload, until they begin',
        'are given back to the field when somebody cancels, with their files, and do not run',
      ),
      ...of(
        `${SRC}/session/taken-back.test.ts`,
        'stand behind what is written, each by itself, and those of files alone leave no gap',
        'are told of, with what is missing of them',
      ),
    ],
  },
  {
    id: 'CONSOLE-DECIDING',
    promise:
      'what somebody decides on is there in whole, with every answer in sight on any screen, and no answer slips to another card',
    source: 'issue 6: full command or diff, at 360 px',
    tests: of(
      'e2e/console/deciding.test.ts',
      'has long options in whole on a phone, in the inbox and in its session',
      'shows a long command in whole, with the options in sight beside it',
      'leaves room to read a long command on a phone, however much room its options take',
      'names the directory that a command runs in, and marks one that is outside of every root',
      'says of one’s own answer that it was one’s own, once, and puts nothing over the card that follows',
      'leaves the focus in the list when it is answered elsewhere, on no other card, and j goes on from there',
    ),
  },
  {
    id: 'CONSOLE-AWAY',
    promise: 'while the server is away every screen opens and says so, and is true again as soon as it is back',
    source: 'issue 6: disconnected states for every screen',
    tests: [
      ...of(
        'e2e/console/away.test.ts',
        'says so until the line is there again, though nothing changes on the server',
        'has every screen at hand, each says that the server is away, and is there when it is back',
        'shows a screen that it could not load as soon as the server is back',
        'shows what was said as plain text until it can load what draws it, and never loses the session for it',
        'shows where one can go at once, also where the server takes its time or does not answer at all',
      ),
      ...of(
        'packages/client/src/live/live.test.ts',
        'are live again as soon as the line is, though nothing changes on the server',
      ),
    ],
  },
  {
    id: 'CONSOLE-CHANGE',
    promise:
      'a change of a boundary says what ends with it before and after, asks about what is dangerous, and nothing is called enforced of which a part is not',
    source: 'issue 6: boundary; high-risk roots marked with why',
    tests: [
      ...of(
        'e2e/console/boundary-change.test.ts',
        'says before that a turn would end with it, and afterwards what has ended',
        'asks once more before it gives what is dangerous, with why, and marks it wherever it stands',
        'tells of a session how each part is held, and calls none enforced of which a part is not',
      ),
      ...of(
        `${SRC}/boundary/enforcement.test.ts`,
        'tells how a boundary is held by what is held least, and names it where that is not the files',
      ),
    ],
  },
  {
    id: 'CONSOLE-SLEEP',
    promise:
      'after the sleep of a machine, whose connections nobody ended and nobody answers on, a page finds out by itself and shows every line once',
    source: 'issue 6: survives reload, sleep and server restart',
    tests: of(
      'e2e/console/sleep.test.ts',
      'finds out by itself that its connections are dead, and has every line of what streamed meanwhile once',
      'says while it sleeps on that the server does not answer, and shows what came to wait meanwhile',
      'goes on where it slept while it loaded the other screens, and loads them all the same',
      'shows a screen that was asked for over a dead line, without being loaded again',
    ),
  },
  {
    id: 'CONSOLE-TABS',
    promise:
      'the console works in more tabs of one browser than that has connections to one server, and its token is on no address or console of the browser',
    source: 'issue 6: two browsers on one session; the SDK: fetch + WebSocket/SSE',
    tests: [
      ...of('e2e/console/many-tabs.test.ts', 'follows its session in each of them, and answers in any'),
      ...of(
        'e2e/console/build.test.ts',
        'tells the page which files each screen needs that it loads later, and each is there',
      ),
    ],
  },
  {
    id: 'CONSOLE-STDERR',
    promise:
      'what an MCP server printed stands on its details, also where it could not start, and is text whatever it is',
    source: 'issue 6: servers, stderr',
    tests: of(
      'e2e/console/server-stderr.test.ts',
      'is on its details as text: no markup of it is any, no escape sequence works, nothing of it is unseen',
      'is there too when it could not start, beside what became of it',
    ),
  },
  {
    id: 'CONSOLE-MODEL',
    promise:
      'the model of a session is switched while it runs, is shown as the agent has it in every browser, and what the agent refuses is said and not shown as chosen',
    source: 'issue 6: session, mode and model switch',
    tests: of(
      'e2e/console/session-choices.test.ts',
      'is switched while a turn runs, with an agent that offers %s, and every browser follows',
      'is what the agent says when it changes it itself',
      'stays what it was where the agent refuses another, and says so',
      'is what was chosen while there is no process that could be told',
    ),
  },
  {
    id: 'CONSOLE-LONG',
    promise:
      'a session of 20,000 items is drawn by what is in sight, read by what somebody goes to, held in bounded memory, and its first, its last and any event between can be gone to',
    source: 'issue 6: 100,000 events stay smooth; jump to event seq',
    tests: of(
      'e2e/console/long-session.test.ts',
      'opens at its end, and draws no more than what is in sight wherever somebody goes',
    ),
  },
  {
    id: 'CONSOLE-DARK',
    promise:
      'every dialog, and every screen whose server is away, passes WCAG 2.2 AA in light and dark, wide and on a phone, and loses nothing that was shown',
    source: 'WCAG 2.2; issue 6: disconnected states for every screen, light and dark',
    tests: of(
      'e2e/console/dialogs.test.ts',
      'has nothing that WCAG 2.2 AA objects to in either theme, wide or on a phone, and Escape leaves it: %s',
      'says so, keeps what was there, and has nothing that WCAG 2.2 AA objects to in either theme, wide or on a phone: %s',
    ),
  },
  {
    id: 'CONSOLE-PICTURES',
    promise:
      'README and docs/console.md show the console by pictures of every screen, light and dark, desktop and phone, which one command takes anew',
    source: 'issue 6: screenshots of every screen',
    tests: [
      ...of(
        'test/docs.test.ts',
        'has a picture of every screen of the console, light and dark, on a desktop and a phone, and shows some',
      ),
      ...of(
        'e2e/console/write-screenshots.test.ts',
        'writes the pictures of docs/screenshots into a directory: each of its size and theme, and of its own screen',
        'ends with 2, says what to do and takes no picture where it is given %s',
      ),
    ],
  },
];
