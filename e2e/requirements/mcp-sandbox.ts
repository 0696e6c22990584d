import { of, type Requirement } from './requirement.ts';

const LAUNCH = 'apps/server/src/mcp/launch';
const LAUNCHER = `${LAUNCH}/server-launcher.test.ts`;
const REVOCATION = `${LAUNCH}/revocation.test.ts`;
const GOVERNED = 'apps/server/src/mcp/governed-files.test.ts';
const ALARMS = 'apps/server/src/boundary/alarms.test.ts';

/** What holds MCP servers, and who is told when they reach for what they were not given. */
export const mcpSandbox: readonly Requirement[] = [
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
];
