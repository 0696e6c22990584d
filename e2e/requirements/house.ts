import { of, type Requirement } from './requirement.ts';

const FLOOD = 'e2e/durability.flood.test.ts';
const FRESH = 'e2e/fresh-machine.test.ts';

/** How the repository is set up and kept. */
export const house: readonly Requirement[] = [
  {
    id: 'HOUSE-1',
    promise: 'npm start and npm test are all the set-up, on a machine whose own Node is older',
    source: 'design: Runtime and dependencies',
    tests: of(
      FRESH,
      'is set up by the two commands themselves',
      'gets the Node that Reeve needs from npm, at an exact version',
      'runs nothing before that which an older Node cannot read',
      'runs the command line by a Node that is too old to run it itself',
    ),
    byHand:
      'in a fresh clone, with Node 20 first on the PATH: "npm start" prints a URL within a minute, "npm test" ends green, both again',
  },
  {
    id: 'HOUSE-2',
    promise:
      'npm start installs only what serving needs; the agents of the tests have a package and lockfile of their own',
    source: 'design: Runtime and dependencies',
    tests: of(FRESH, 'is not made to install the agents of the tests in order to serve'),
  },
  {
    id: 'HOUSE-3',
    promise: 'imports point one way, and that is a test',
    source: 'design: The house',
    tests: of(
      'test/architecture.test.ts',
      'has a room for every source file',
      'imports only along the arrows of the plan',
      'has no files that import each other in a circle',
    ),
  },
  {
    id: 'HOUSE-4',
    promise: 'errors and settings are documented, each of them',
    source: 'protocol 7; design: The house',
    tests: of(
      'test/docs.test.ts',
      'lists every error with its code, its HTTP status and the next step',
      'lists every setting with its default',
      'links only to files that exist',
    ),
  },
  {
    id: 'HOUSE-5',
    promise: 'the figures of the hot path are printed side by side in one run',
    source: 'events 2',
    tests: of(FLOOD, 'of 200,000 arrives whole, in order, once'),
    byHand: '"npm run bench", whose figures are ratios measured in one run and never a timed test',
  },
  {
    id: 'HOUSE-6',
    promise: 'the table of the session surface is made from these requirements',
    source: 'issue 3: What it must show',
    tests: of('e2e/session-surface.test.ts', 'is what the requirements say: "npm run docs:surface" writes it'),
  },
  {
    id: 'HOUSE-7',
    promise: 'bubblewrap is installed by the set-up where that can be done, else it is said what to install',
    source: 'issue 5: Install',
    tests: of(
      'test/set-up.test.ts',
      'installs it with apt before npm %s (needs root)',
      'asks nobody where it is there',
      'says what to install and serves without, to who is not root (needs a checkout that others can read)',
      'says what to install and tests nothing, to who is not root (needs a checkout that others can read)',
    ),
  },
];
