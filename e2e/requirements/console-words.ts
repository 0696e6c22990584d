import { of, type Requirement } from './requirement.ts';

const FACTS = 'e2e/console/timeline-facts.test.ts';
const GOVERNANCE = 'e2e/console/governance.test.ts';
const SCREENS = 'e2e/console/screens.test.ts';
const SRC = 'apps/console/src';

/** That people can read the console without knowing the protocol, in a real Chromium against a real server. */
export const consoleWords: readonly Requirement[] = [
  {
    id: 'CONSOLE-NOTES',
    promise:
      'a session tells in words what became of its agent, servers, reviews and boundary, with an alarm in sight; what Reeve does for the agent is told as that, and nobody is said to have been asked',
    source: 'issue 6: session; boundary, alarms',
    tests: [
      ...of(
        FACTS,
        'puts an alarm where nobody passes it over, and says of servers and reviews what became of them',
        'says that files were read and written, with what, and never that somebody was asked',
      ),
      ...of(
        `${SRC}/session/items/note-words.test.ts`,
        'names the server and how it stands',
        'makes an alarm of an alarm: who reached for what, by which tool, how often',
        'tells what became of a boundary, a root and a review, and by whom',
        'is text whatever stands in it, and the name of a kind that nobody knows',
      ),
    ],
  },
  {
    id: 'CONSOLE-USAGE',
    promise: 'usage and cost, and pictures of formats that browsers draw without running anything, are shown',
    source: 'issue 6: session',
    tests: of(
      FACTS,
      'shows usage and cost as the agent tells them, and pictures that browsers draw without running anything',
    ),
  },
  {
    id: 'CONSOLE-CALLS',
    promise: 'a call that a policy puts to a person is decided in the inbox, with its server, tool and arguments',
    source: 'issue 6: inbox',
    tests: of(FACTS, 'waits in the inbox with its server, tool and arguments, and runs when somebody approves it'),
  },
  {
    id: 'CONSOLE-AUDIT',
    promise:
      'records name their session and server, and are filtered by session, server, kind, decision, path and trace',
    source: 'issue 6: audit',
    tests: of(
      GOVERNANCE,
      'names the session and the server of each record, and shows what else was recorded of either',
      'is filtered, checked, and taken away whole',
      'shows what else belongs to the trace of a record',
    ),
  },
  {
    id: 'CONSOLE-EXPLAIN',
    promise: 'a decision is explained in words, by which policy and why, with what would change it, from examples',
    source: 'issue 6: policy',
    tests: of(
      GOVERNANCE,
      'is told in words, with the policy that decided and its reason, and with what would change it',
    ),
  },
  {
    id: 'CONSOLE-NOWHERE',
    promise: 'an address of no screen says so with a way on, and an error its next step in words for people',
    source: 'issue 6: error states for every screen',
    tests: [
      ...of(
        SCREENS,
        'says that there is no such screen at any other address, with a way on',
        'says at %s what is missing in words for people, with a way on, in both themes and on a phone',
      ),
      ...of(
        'apps/server/src/http/console-files.test.ts',
        'are the page for any other address that somebody opens in a browser, as not found, and nothing of the API',
      ),
      ...of(
        'apps/server/src/http/gatekeeper.test.ts',
        'lets a browser have the page without a token, and nothing of the API: %o is %s',
      ),
      ...of(`${SRC}/ui/next-step.test.ts`, 'is what the server advises, but nothing of the HTTP API or of ACP'),
    ],
  },
  {
    id: 'CONSOLE-HEAD',
    promise: 'the choices of a session have their names in sight, and leave a phone its room',
    source: 'issue 6: session; works at 360 px',
    tests: of('e2e/console/attached.test.ts', 'has each choice with its name beside it, folded on a phone'),
  },
  {
    id: 'CONSOLE-BADGE',
    promise: 'what waits is counted in the title of the tab and on the badge of an installed page',
    source: 'issue 6: inbox, notification and badge',
    tests: of('e2e/console/inbox.test.ts', 'is counted in the title of the tab, and on the badge of an installed page'),
  },
];
