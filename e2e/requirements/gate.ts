import { of, type Requirement } from './requirement.ts';

const PATHS = 'packages/policy/src/call-paths.test.ts';
const GATE = 'apps/server/src/mcp/gate/server-call-gate.test.ts';
const LAUNCH = 'apps/server/src/mcp/launch';
const LAUNCHER = `${LAUNCH}/server-launcher.test.ts`;
const REVOCATION = `${LAUNCH}/revocation.test.ts`;
const GOVERNED = 'apps/server/src/mcp/governed-files.test.ts';
const ALARMS = 'apps/server/src/boundary/alarms.test.ts';

/** What is looked at before a call reaches an MCP server, and what holds the server. */
export const gate: readonly Requirement[] = [
  {
    id: 'GATE-1',
    promise: 'the paths of a call are found wherever they stand, and prose is not taken for paths',
    source: 'boundary 4, first paragraph',
    tests: of(
      PATHS,
      'stand in arguments that are for paths: %j',
      'are the whole text of any other argument: %j',
      'are none in prose: %j',
      'are none in what is written into a file',
      'are file URIs, also within a sentence',
      'are no URIs that can be read in two ways: %s',
      'hold no NUL',
      'are looked for where each method has them, and nowhere else',
      'are not looked for beyond a bound',
      'are found in texts that are too long for one until dots and slashes are taken away',
      'are looked for in time, however a text is encoded',
      'are found however deep a value is nested, and told with a short place',
      'are found or passed over without a throw for whatever comes',
    ),
  },
  {
    id: 'GATE-2',
    promise:
      'a call whose paths lead outside, links followed, is refused with the root that would be needed and an alarm',
    source: 'boundary 4, 6',
    tests: of(
      GATE,
      'is inside, and the call is passed on: %s',
      'is outside, and the call is refused with an alarm: %s',
      'is told with the root that would be needed, and of a link no more than the link says',
      'is no matter where the machine has no such place, or where it is prose',
      'is no matter for a server without roots that only names places of its own',
      'is the matter of another machine for a remote server, but for file URIs',
      'is asked of resources, prompts and completions too',
    ),
  },
  {
    id: 'GATE-3',
    promise:
      'a call that a person must approve is held as long as its agent waits, runs once, and is asked for again under the same key',
    source: 'boundary 7, waiting for a human',
    tests: [
      ...of(
        GATE,
        'is refused by policy with its ids, and recorded',
        'records how a call that was passed on ended, once',
        'of a person is waited for, and the approved call runs once',
        'is asked for by what the call says, whatever the order of its members',
        'is declined by a person, or pending when the agent has no more patience',
        'is asked about one after the other when the same call comes twice',
        'is no longer waited for when the turn is cancelled or the call taken back',
        'is not asked of anybody for arguments that are no text',
      ),
      ...of('apps/server/src/mcp/gate/call-patience.test.ts', 'waits as long as was measured: %s %s'),
      ...of(
        'e2e/held-calls.test.ts',
        'runs once when it is approved after five seconds',
        'ends as a result of the tool when it is declined, and the turn goes on',
        'runs once when it is approved after ninety seconds (REEVE_E2E_SLOW=1)',
        'is told to be pending before the agent gives up, and runs once when it is approved and sent again (REEVE_E2E_SLOW=1)',
      ),
    ],
  },
  {
    id: 'GATE-4',
    promise:
      'calls do not pass a change of the boundary: they are held, ended or judged anew, and a stale view is a matter of policy',
    source: 'boundary 4, stale caches, long-running work',
    tests: of(
      GATE,
      'holds calls until it is through, and then judges them by the new roots',
      'judges a call again that was being looked at when it came',
      'with "%s" ends calls in flight that depend on what it takes: %j %s',
      'waits no longer for calls in flight than they have time',
      'asks a person whether a call may go on, where policy says so',
      'ends every call of a server that may not run any more',
      'holds calls of a server that keeps its roots until it has fetched them again',
      'holds calls of a server that was started again until it has asked for its roots, as it did before',
      'lets policy decide about calls of a server that does not fetch them in time',
    ),
  },
  {
    id: 'GATE-5',
    promise:
      'a revoked root is gone before the next call returns, a hundred times in a row with calls racing (five without REEVE_E2E_SLOW=1)',
    source: 'issue: The boundary; boundary 4, revocation',
    tests: [
      ...of(REVOCATION, 'reads nothing of a root once it is revoked, however often, with calls racing'),
      ...of(GOVERNED, 'answers nothing of a root that was taken, whatever was sent before, meanwhile and after'),
    ],
  },
  {
    id: 'SERVER-SANDBOX-1',
    promise:
      'an MCP server sees its own program, the roots that it was granted and an empty HOME, and no directory of its command line besides',
    source: 'sandbox 2; issue: The wall, MCP servers',
    tests: of(
      LAUNCHER,
      'sees its package and its roots, an empty HOME, and nothing else',
      'is given its own environment, the way to programs and the language',
      'finds no directory of its command line that was not granted, and is not started when there is none else',
      'is not shown its package where that holds a root that it was not granted',
      'may be a command of the system, by whichever name',
    ).concat(of(GOVERNED, 'is started once a directory of its command line is granted')),
  },
  {
    id: 'SERVER-SANDBOX-2',
    promise: 'what was taken is looked for from inside the narrower sandbox, and what could not be found out is said',
    source: 'boundary 4, revocation',
    tests: of(
      LAUNCHER,
      'is started again in a narrower sandbox, which is found out from inside',
      'is verified where only the way to another root is left, and not where something is still shown',
      'is looked at for all that was taken since its last start, also by changes that were not carried out',
      'is started anew when its scope became narrower while it started',
      'has lost what was taken: it does not run',
      'needs another process where mounts must change: %j',
    ),
  },
  {
    id: 'SERVER-SANDBOX-3',
    promise:
      'what npx would fetch is installed outside, once and checked, and run inside without network; what cannot run is told with the next step',
    source: 'issue: The wall, MCP servers',
    tests: [
      ...of(
        `${LAUNCH}/package-runner.test.ts`,
        'of npm is known by its package: %j',
        'of npm is unclear, and not guessed at: %j',
        'of others is told: %j',
        'is not %j',
      ),
      ...of(
        `${LAUNCH}/fetched-program.test.ts`,
        'is installed in the version that is asked for, and runs its only program',
        'stays what it was at the first start, though a tag has moved, until the server is another one',
        'is not run when its archive is another one than at the first start',
        'in an exact version is not asked of the registry when it is installed',
        'runs the program that is named, or the one with the name of the package',
        'is none of the registry, and not fetched: %j',
        'that cannot be had is told with the next step: %j',
      ),
      ...of(
        `${LAUNCH}/package-pins.test.ts`,
        'are found again by fingerprint and package, also by another server',
        'are gone with the server that they are of',
        'are none in a file that says %j',
      ),
      ...of(
        LAUNCHER,
        'runs a package that was fetched outside, once for all its starts until it is forgotten',
        'is told with the next step: %j',
        'because the sandbox is switched off, unless it need not be confined',
        'because nobody needs it any more',
      ),
    ],
  },
  {
    id: 'SERVER-SANDBOX-4',
    promise: 'every way out is tried as an MCP server too, for root and an unprivileged user, and blocked',
    source: 'issue: The wall; sandbox 3',
    tests: of(`${LAUNCH}/server-escapes.test.ts`, 'is stopped at every attempt to get out, started by $name'),
  },
  {
    id: 'SERVER-SANDBOX-5',
    promise:
      'a directory swapped for a symlink while a server reads and writes leaks nothing, ten thousand times (three hundred without REEVE_E2E_SLOW=1)',
    source: 'issue: The wall; boundary 6',
    tests: of(REVOCATION, 'leaks nothing through a directory that is swapped for a symlink while it reads and writes'),
  },
  {
    id: 'ALARM-1',
    promise: 'an alarm reaches the webhook once it can be reached, a storm as one, and never with a path',
    source: 'boundary 3, last but one; boundary 5, exporters',
    tests: [
      ...of(
        'apps/server/src/boundary/alarm-storm.test.ts',
        'is told at once, and then once in each window with the number that it stands for',
        'is over after a window without any: the next one is told at once',
        'loses none when it is disposed of',
      ),
      ...of(
        ALARMS,
        'is sent as a CloudEvent with a label in place of the path',
        'is sent again after a failure, under the same id',
        'is not sent again where that is of no use, nor elsewhere, and what was lost is told',
        'is given up when nobody answers in time',
        'pushes the oldest out when too many wait',
        'goes nowhere without a webhook, and costs nothing',
      ),
    ],
  },
  {
    id: 'EGRESS-SETTINGS',
    promise:
      'the bounds of the network of confined processes are settings, and what terminals and MCP servers are refused is told',
    source: 'issue: The wall, network',
    tests: [
      ...of(
        'packages/sandbox/src/egress/egress-limits.test.ts',
        'limits of the network are the default ones but for those that are given',
        'limits of the network are those of the holder for each of its processes',
      ),
      ...of(
        'apps/server/src/terminal/session-terminals.test.ts',
        'tells what its commands were refused of the network',
      ),
      ...of(LAUNCHER, 'has its refused connections told, each host once'),
    ],
  },
  {
    id: 'HOSTILE-1',
    promise: 'what an agent says of roots reaches no server, asked for or not, in either era',
    source: 'boundary 1; issue: The boundary (the agent is never asked for roots)',
    tests: of(
      'apps/server/src/mcp/hostile-agent.test.ts',
      'is not believed, in the new era',
      'is not believed, in the old era',
    ),
  },
  {
    id: 'HOSTILE-2',
    promise: 'no message passes that a server may read as another one than was looked at',
    source: 'boundary 4; threat-model: Who acts',
    tests: [
      ...of(
        'apps/server/src/mcp/hostile-agent.test.ts',
        'does not reach the server: %s',
        'is nothing that a plain one is taken for',
      ),
      ...of(
        'packages/protocol/src/ambiguous-member.test.ts',
        'is found in %s',
        'is not in %s',
        'is in nothing that was written by JSON.stringify without keys that differ in case alone',
        'is looked for however deep a text is nested',
      ),
    ],
  },
  {
    id: 'HOSTILE-3',
    promise:
      'no environment, header or URL secret of a server is written or told, also of one that tells everybody; no path or argument is in audit, log or alarm',
    source: 'issue: The boundary (Audit); design: Rules that hold everywhere',
    tests: [
      ...of(
        'e2e/mcp-secrets.test.ts',
        'keeps the secrets of servers that tell everybody, and of a session what is its own',
      ),
      ...of(
        'apps/server/src/mcp/wire/hide-own-secrets.test.ts',
        'is told without the values of its environment, plain or within JSON, and without a word less',
        'is told without headers, user part, query and fragment',
      ),
    ],
  },
  {
    id: 'HOSTILE-4',
    promise:
      'an MCP server that forges answers, floods, storms, answers without measure, hangs at its end or sends elsewhere harms nothing but its own calls',
    source: 'issue: The boundary (what it must show); threat-model: Who acts',
    tests: [
      ...of(
        'apps/server/src/mcp/hostile-server.test.ts',
        'answers what nobody asked, and what others asked, to nobody',
        'cannot keep an agent waiting by an answer that is too long: %s',
        'cannot keep an agent waiting by an answer that is too deep',
        'refuses with a long text, of which no more is told than a person reads',
        'is ended with its session, whatever it does about it',
        'storms with changes and questions without holding up another one',
        'sends no request, and no header, elsewhere',
      ),
      ...of(
        'packages/sandbox/src/line-splitter.test.ts',
        'tells what a dropped line begins and ends with, however the bytes are cut',
      ),
    ],
  },
  {
    id: 'HOSTILE-5',
    promise: 'changes of a boundary that race each other and prompts end no session, and no prompt that waits is lost',
    source: 'protocol: set_boundary; issue: The boundary (with calls racing)',
    tests: of(
      'apps/server/src/sessions/idle-watch.test.ts',
      'does not let a session go that somebody works on without a client or a turn, and does once the last is done',
    ),
  },
];
