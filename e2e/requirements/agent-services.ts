import { of, type Requirement } from './requirement.ts';

const E2E = 'e2e/agent-services.test.ts';
const SESSION = 'apps/server/src/sessions/local-services.test.ts';
const READ = 'apps/server/src/fs/read-text-file.test.ts';
const WRITE = 'apps/server/src/fs/write-text-file.test.ts';
const SWAPPED = 'apps/server/src/fs/swapped-directory.test.ts';
const TERMINALS = 'apps/server/src/terminal/session-terminals.test.ts';
const OUTPUT = 'apps/server/src/terminal/output-tail.test.ts';

const SOURCE = 'sandbox 5';

/** `fs/*` and `terminal/*` that Reeve serves itself. */
export const agentServices: readonly Requirement[] = [
  {
    id: 'SERVE-1',
    promise: 'an agent that asks for files and terminals has them, where no attached client serves them',
    source: SOURCE,
    tests: [
      ...of(
        E2E,
        'though nobody offered them, opencode, has its file written',
        'because Reeve offers them, claude-code, writes and runs commands by them',
      ),
      ...of(
        SESSION,
        'is files and terminals inside the roots of the session, where no client serves them',
        'keeps a terminal that it started, also when a client comes that could',
        'is nothing else: what neither it nor a client serves is -32601',
      ),
    ],
  },
  {
    id: 'SERVE-2',
    promise: 'agentServices says what agents are told, which is true, and whether Reeve goes before clients',
    source: 'design: Rules that hold everywhere',
    tests: of(
      SESSION,
      '%s: is announced to the agent as %j beside what its client can',
      '%s: a client that can serve files as well: %s',
    ),
  },
  {
    id: 'SERVE-3',
    promise: 'a directory that is swapped for a link, 10^4 times: nothing leaks, nothing is written outside',
    source: 'issue: What it must show',
    tests: of(
      SWAPPED,
      'leaks nothing to a reader',
      'lets no writer out',
      'would leak to a reader that checks the path and then opens it',
    ),
    byHand: 'in CI and with REEVE_E2E_SLOW=1 it is 10,000 swaps and as many reads and writes',
  },
  {
    id: 'SERVE-4',
    promise: 'nothing outside the roots is read, written, or told of',
    source: SOURCE,
    tests: [
      ...of(
        READ,
        'gives the same answer for what exists outside and what does not, by whatever way',
        'says that a root was moved, replaced or deleted',
        'reads regular files only, and waits for no pipe',
      ),
      ...of(
        WRITE,
        'never writes outside, nor through a link that leads nowhere',
        'leaves the other name of a hard link as it was, also one outside',
      ),
      ...of(TERMINALS, 'runs in a directory inside the roots only', 'refuses a directory %s'),
    ],
  },
  {
    id: 'SERVE-5',
    promise: 'read-only roots and protected paths hold for writes of agents',
    source: SOURCE,
    tests: of(
      WRITE,
      'refuses a read-only root, also inside a read-write one and by a link to it',
      'refuses what decides what other tools run, at any depth, in any case, by any link',
      'protects the hooks of a root that is itself a git directory',
    ),
  },
  {
    id: 'SERVE-6',
    promise: 'fs/* as ACP says: line and limit, a missing file, whole writes, directories made on the way',
    source: 'ACP, file system',
    tests: [
      ...of(
        READ,
        'takes the lines that %j names, each with its ending',
        'answers for a missing file in a way that agents take for ENOENT',
      ),
      ...of(WRITE, 'makes a file, and the directories on the way to it', 'replaces a file whole, and keeps its mode'),
    ],
  },
  {
    id: 'SERVE-7',
    promise: 'terminal/* as ACP says: output, truncation between characters, exit status, kill and release',
    source: 'ACP, terminals',
    tests: [
      ...of(
        TERMINALS,
        'runs a command to its end: both outputs in the order in which they were written, exit code',
        'adds the environment of the request to that of the session, and nothing of the server',
        'can be read while it runs, and waited for by many',
      ),
      ...of(OUTPUT, 'is cut between two characters, though less is left than the limit'),
    ],
  },
  {
    id: 'SERVE-8',
    promise: 'what a command started is gone when it is killed, released, or its agent ends',
    source: SOURCE,
    tests: [
      ...of(
        TERMINALS,
        'ends all that the command started when it is killed, and can still be read',
        'is gone with all that it started once it is released',
        'ends what a command left behind when it ended',
      ),
      ...of(SESSION, 'ends the commands of an agent when %s'),
    ],
  },
  {
    id: 'SERVE-9',
    promise: 'terminals run in the sandbox of the session, or not at all',
    source: SOURCE,
    tests: of(
      TERMINALS,
      'runs commands in the sandbox of the session, or not at all',
      'says what to do where no sandbox works or nothing is started, not to ask whoever set the policy',
    ),
  },
  {
    id: 'SERVE-LOG',
    promise: 'what a terminal of Reeve shows, and how it ended, is in the log while the command runs and later',
    source: 'issue: Session, terminal output',
    tests: [
      ...of(
        TERMINALS,
        'tells what a command writes while it runs, and how it ends',
        'tells the end of what still runs when the agent is gone at once, and nothing after that',
      ),
      ...of(
        'apps/server/src/terminal/terminal-record.test.ts',
        'is what came within a tenth of a second at once, whole characters only, and how it ended',
        'does not wait for the tenth of a second where much was written',
        'never has more than the limit, in however many pieces it comes',
      ),
      ...of(SESSION, 'leaves what its terminals show in the log, until they have ended, and no client is sent it'),
      ...of(
        'apps/server/src/sessions/session-fork.test.ts',
        'has what terminals of the parent showed, and no other notes of it',
      ),
    ],
  },
];
