import { of, type Requirement } from './requirement.ts';

const INBOX = 'e2e/console/inbox.test.ts';
const SESSION = 'e2e/console/session.test.ts';
const SESSIONS = 'e2e/console/sessions.test.ts';
const NEW = 'e2e/console/new-session.test.ts';
const SCREENS = 'e2e/console/screens.test.ts';
const SIGN_IN = 'e2e/console/sign-in.test.ts';
const HOSTILE = 'e2e/console/hostile.test.ts';
const GOVERNANCE = 'e2e/console/governance.test.ts';
const BUILD = 'e2e/console/build.test.ts';
const FILES = 'apps/server/src/http/console-files.test.ts';
const SRC = 'apps/console/src';

/** The web console, in a real Chromium against a real server. */
export const webConsole: readonly Requirement[] = [
  {
    id: 'CONSOLE-1',
    promise:
      'the server serves the console at / from static files, to whoever reaches it, and the API to nobody without the token',
    source: 'design, the house',
    tests: of(
      FILES,
      'are the page for every screen, never kept, under a policy that allows its own files only',
      'are kept for ever where their name stands for their content, and packed for whoever takes it',
      'are no others: not the API, not what lies beside them, not what lies above',
      'say how to build the page while it is not built, and are there as soon as it is',
    ),
  },
  {
    id: 'CONSOLE-2',
    promise:
      'who signs in does so with the token, which stands in no address, no storage that outlives the tab, and no cookie',
    source: 'session surface 7',
    tests: of(
      SIGN_IN,
      'takes the token, refuses a wrong one, and shows nothing before',
      'takes the token of a link out of the address at once, and keeps it in no storage that outlives the tab',
      'is done for every tab of the browser as long as one is open, and undone for all; no other browser has it',
      'has the token of a link before the page is loaded: who reloads or leaves it at that moment stays signed in',
      'is not asked for where the server wants no token',
    ),
  },
  {
    id: 'CONSOLE-3',
    promise:
      'the inbox has everything that waits, with what is needed to decide; the first answer counts and the others are told',
    source: 'design, 2',
    tests: of(
      INBOX,
      'shows what an agent asks with all that is needed, and gives it the option that was pressed',
      'says in another browser, and at the address of the request, that it was answered and by whom',
      'takes answers to questions: an option, several, a text, a form; and lets them be turned down',
      'tells of what waits in a notification while the page is hidden, without a word of the agent',
    ),
  },
  {
    id: 'CONSOLE-4',
    promise: 'the inbox is worked by the keyboard alone, and no key that slips allows anything',
    source: 'design, 2',
    tests: of(INBOX, 'is worked by the keyboard alone: j, k, a and d; Escape decides nothing'),
  },
  {
    id: 'CONSOLE-5',
    promise:
      'a session shows all that happened, as it happens, in every browser, with the raw messages beside each item',
    source: 'design, 1',
    tests: [
      ...of(
        SESSION,
        'streams what the agent does, and shows the messages of an item as they crossed the wire',
        'is the same in two browsers: what is said in one appears in the other, and so does a switch of the mode',
        'queues a prompt behind the turn that runs, and cancels',
        'sends files with a prompt, and keeps a draft over a reload',
        'offers the commands of the agent while one is begun',
        'jumps to an event by its number, and stays where somebody reads while more comes',
      ),
      ...of(`${SRC}/session/timeline-rows.test.ts`, 'is cut at line ends, with nothing lost'),
      ...of(`${SRC}/diff/line-diff.test.ts`, 'gives back both texts, whatever they are'),
    ],
  },
  {
    id: 'CONSOLE-6',
    promise: 'a reload, a cut line and a killed server lose and double nothing of a session',
    source: 'design, 1',
    tests: of(
      SESSION,
      'loses and doubles nothing over a reload in the middle of a stream',
      'goes on where it was when the line is cut and restored in the middle of a stream',
      'goes on when the server is killed and started again in the middle of a stream',
    ),
  },
  {
    id: 'CONSOLE-7',
    promise:
      'sessions are found, started with their boundary and its risks seen before, renamed, forked, closed and deleted',
    source: 'design, 1',
    tests: [
      ...of(
        SESSIONS,
        'can be started with what they may touch seen before, and appear in the list with their state',
        'say why one could not be started, and lose nothing that was filled in',
        'can be found, renamed, forked, closed and deleted',
      ),
    ],
  },
  {
    id: 'CONSOLE-8',
    promise: 'every screen passes WCAG 2.2 AA in light and dark, fits 360 pixels, and loads nothing from elsewhere',
    source: 'WCAG 2.2',
    tests: of(
      SCREENS,
      'passes WCAG 2.2 AA at %s in both themes, fits a phone, and breaks no rule of its own policy',
      'has every destination, those without a place of their own behind "More"',
      'have nothing that WCAG 2.2 AA objects to, and give the focus back',
      'follows the browser until somebody chooses, and then stays',
      'says so where a screen cannot be loaded, and the others go on',
      'is noticed by these tests where its policy forbids something',
    ),
  },
  {
    id: 'CONSOLE-9',
    promise:
      'what agents write is text: no markup of it runs, loads or leads anywhere but http, and nothing of it stays invisible',
    source: 'design, rules that hold everywhere',
    tests: [
      ...of(HOSTILE, 'is inert in the console: no script, no request, no link but to http, nothing invisible'),
      ...of(
        `${SRC}/hostile/visible-text.test.ts`,
        'loses the escape sequences of terminals, whole',
        'shows what would reorder or hide it as marks',
        'keeps lines, tabs, scripts and emoji as they are',
        'is complete where a person decides: nothing is left out',
      ),
      ...of(`${SRC}/tools/root-of.test.ts`, 'is the innermost one', 'is none for what only looks as if it were inside'),
    ],
  },
  {
    id: 'CONSOLE-10',
    promise: 'the first screen needs at most 200 KB of packed script, and the page has no script or style of its own',
    source: 'design, runtime and dependencies',
    tests: of(
      BUILD,
      'needs at most 200 KB of packed script before the first screen is there',
      'has no script and no style in the page itself, and names no other server',
    ),
  },
  {
    id: 'CONSOLE-11',
    promise:
      'a boundary is seen root by root and server by server, and narrowed, given and taken away in one action whose effect is shown',
    source: 'design, 3',
    tests: of(
      GOVERNANCE,
      'lets somebody approve a server with less than it asks for, and shows who may touch what since',
      'narrows, gives and takes away in one action each, and shows in another browser that it is in force',
      'are shown with all that is known of each, and what was decided about them can be forgotten',
    ),
  },
  {
    id: 'CONSOLE-12',
    promise: 'agents can be tried, policies read and checked, and the audit log filtered, verified and exported',
    source: 'design, 4',
    tests: of(
      GOVERNANCE,
      'can be tried, and say what they are',
      'are shown, explained, and checked without a change',
      'is filtered, checked, and taken away whole',
    ),
  },
  {
    id: 'CONSOLE-13',
    promise: 'a session goes without the MCP servers that were switched off for it, for good',
    source: 'issue 6: new session',
    tests: of(
      'apps/server/src/sessions/session-servers.test.ts',
      'are without those of the configuration that are switched off for it, in forks and after a restore too',
    ),
  },
  {
    id: 'CONSOLE-TERMINALS',
    promise:
      'what commands of an agent write is shown while they run and after a reload, in the tool call that names them too',
    source: 'issue 6: session',
    tests: [
      ...of(
        'e2e/console/terminal.test.ts',
        'shows what comes while the command runs, without escape sequences, and all of it after a reload',
        'is shown in the tool call that names it',
      ),
      ...of(
        'packages/client/src/timeline/timeline.test.ts',
        'has the output of a terminal of Reeve from its notes, whatever the agent asks of it, and asks no person',
        'has the output of a terminal of a client as the agent last asked for it, and why none was started',
      ),
    ],
  },
  {
    id: 'CONSOLE-14',
    promise:
      'what a session could reach is told before there is one, over HTTP, in the SDK and at the command line, and nothing starts or is granted or recorded for it',
    source: 'issue 6: boundary preview with risk warnings before anything starts',
    tests: [
      ...of(
        'apps/server/src/boundary/foresight.test.ts',
        'is by policies what each server and each root needs, and nothing is asked or recorded for it',
        'is also by what people decided before, where that counts',
        'is a refusal where a person refused',
        'says what each root is, also where there is no server',
      ),
      ...of(NEW, 'is shown with its risks before it is given'),
      ...of(
        'e2e/boundary-preview.test.ts',
        'says what each directory is, what holds it, and what becomes of each MCP server and root',
        'starts, asks, grants and records nothing',
        'says what keeps the session from being made, as making it does, and tells of the rest',
        'is refused with the next step for %s',
        'is had at the command line',
      ),
    ],
  },
  {
    id: 'CONSOLE-15',
    promise: 'directories to choose from are those of workspaces, and of no place outside',
    source: 'issue 6: directory picker limited to workspaces',
    tests: [
      ...of(
        'e2e/boundary-preview.test.ts',
        'are those below its roots, no links, and no more than limits.maxListedDirectories',
        'are of no place outside, whatever leads there',
      ),
      ...of(NEW, 'in a directory of nobody’s workspace is told as such, and where it cannot be is said before'),
    ],
  },
  {
    id: 'CONSOLE-16',
    promise:
      'a new session is given a workspace, a directory in it and its MCP servers, each on or off, and others by hand, whose secrets are shown no more',
    source: 'issue 6: new session',
    tests: [
      ...of(
        `${SRC}/sessions/added-server.test.ts`,
        'is what was typed, each line an argument as it is',
        'is sent back with what to do for %j, without a value',
      ),
      ...of(
        NEW,
        'is in a workspace and a directory below its roots, with the servers that were left on, and nothing starts before',
        'has servers that were added by hand, and shows their secret values no more',
        'is begun by the keyboard alone, on a phone as well, and has nothing that WCAG 2.2 AA objects to',
      ),
    ],
  },
  {
    id: 'CONSOLE-17',
    promise: 'a session in which something happened that nobody looked at in this browser is marked, in every tab',
    source: 'issue 6: sessions, unread',
    tests: of(
      'e2e/console/unread.test.ts',
      'appears when something happens, goes when somebody looks, and stays gone over a reload',
      'is of each browser for itself, and of all its tabs',
      'stays while the page of the session is out of sight, and goes when it is seen again',
    ),
  },
  {
    id: 'CONSOLE-AGENTS',
    promise:
      'an agent that is nowhere on the machine is installed from the console, its progress and failure shown, and a login that is missing is told',
    source: 'issue 6: servers and agents',
    tests: [
      ...of(
        'e2e/console/agents.test.ts',
        'are installed with their progress shown, and a failure with its next step, then can be tried',
        'say that somebody must log in, by which ways, where an agent refused a session',
      ),
      ...of('e2e/agent-versions.test.ts', 'are all that there is of a known agent whose program is not on the PATH'),
    ],
  },
];
