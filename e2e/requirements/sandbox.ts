import { of, type Requirement } from './requirement.ts';

const FILES = 'packages/sandbox/src/bubblewrap/confined-files.test.ts';
const PROCESS = 'packages/sandbox/src/bubblewrap/confined-process.test.ts';
const ARGUMENTS = 'packages/sandbox/src/bubblewrap/bubblewrap-arguments.test.ts';
const CONTAINED = 'packages/sandbox/src/contained.test.ts';

/** What holds a process inside its profile: packages/sandbox over bubblewrap. */
export const sandbox: readonly Requirement[] = [
  {
    id: 'SANDBOX-1',
    promise:
      'a process sees the roots of its profile and the operating system, and nothing else of the files of the host',
    source: 'sandbox: 2, 3',
    tests: [
      ...of(
        FILES,
        'are its roots, and of their parents no more than the way there',
        'are not %s outside, which does not exist',
        'can be written in a read-write root only, not through a symlink either',
        'are remounted or unmounted by nobody',
        'give it a HOME and a /tmp of its own, empty and forgotten',
        'keep what a HOME and a state directory of the host hold, and show seeded files read-only',
        'show a root inside of another one with its own access',
        'show masked paths empty, which cannot be moved away',
        'are committed, branched and spread over worktrees by git in a root',
      ),
      ...of(
        ARGUMENTS,
        'take away namespaces, capabilities, terminal and network',
        'never name a directory of the host that is not part of the runtime',
      ),
    ],
  },
  {
    id: 'SANDBOX-2',
    promise:
      'hooks and configuration in a read-write root hold, against renaming their parents too, and what appears there is told',
    source: 'sandbox: 2, last paragraph',
    tests: of(
      FILES,
      'hold against %s',
      'are not made where they do not exist, and told when the process made them',
      'are those of the git directory itself where that is a root, and the file that names it',
      'count as a gap where they are symlinks',
    ),
  },
  {
    id: 'SANDBOX-3',
    promise:
      'a root that was deleted, moved or swapped for a symlink after its approval is not followed: nothing starts, and the error says why',
    source: 'issue: The wall',
    tests: of(
      FILES,
      'are not shown, nothing is started: %s',
      'are never those of another directory, however often it is swapped meanwhile',
      'are not shown when it is %s',
    ),
  },
  {
    id: 'SANDBOX-4',
    promise: 'environment, descriptors and other processes of the server are out of sight inside',
    source: 'sandbox: 2, 3',
    tests: of(
      PROCESS,
      'gets the declared environment, HOME and the marker, and nothing of the server',
      'finds neither environment nor mounts in the processes it sees, and no other process',
      'inherits no descriptor but its stdio',
    ),
  },
  {
    id: 'SANDBOX-5',
    promise:
      'a confined process is stopped as a bare one: end of stdin, SIGTERM that it may handle, SIGKILL for its whole tree; its exit is told as it was',
    source: 'sandbox: 2, Stop',
    tests: of(
      PROCESS,
      'tells its exit code, its signal and its bytes as they are',
      'may handle SIGTERM when it lives on after the end of its stdin',
      'is killed when it ignores SIGTERM',
    ),
  },
  {
    id: 'SANDBOX-6',
    promise:
      'enforcement is a fact: probed by running it, refused where it must hold and cannot, told per process with its gaps',
    source: 'sandbox: 4',
    tests: [
      ...of(
        PROCESS,
        'says what holds it',
        'is held by its limits',
        'is a list reaches what is in it, and each decision is told',
      ),
      ...of(
        'packages/sandbox/src/sandbox-probe.test.ts',
        'finds what works by running it (needs bubblewrap and user namespaces)',
        'starts nothing that must be enforced',
        'starts what may be only declared, and says that nothing confines it',
      ),
      ...of(
        'packages/sandbox/src/start-plan.test.ts',
        'a launch with %s is held as far as the machine can: %#',
        'a profile is refused where it cannot be enforced, with cause and next step: %#',
      ),
      ...of(
        'packages/sandbox/src/sandbox-advice.test.ts',
        'names the command that installs bubblewrap on %j',
        'says what forbids user namespaces: a container, AppArmor, or a setting',
      ),
      ...of(
        'packages/sandbox/src/bubblewrap/bubblewrap-failure.test.ts',
        'what bubblewrap says becomes a failure with its next step: %s',
      ),
    ],
  },
  {
    id: 'SANDBOX-7',
    promise:
      'no descendant survives its session or the server, however it dies, not one that left group, environment and parent',
    source: 'issue: One real agent, one durable session, end to end',
    tests: [
      ...of(
        CONTAINED,
        'is as free as the server, but for the processes it sees',
        'is asked, then killed, with whatever left its group, environment and parent',
        'takes along what it leaves behind when it ends by itself',
        'leaves nobody when the server is killed with -9, not who left group, environment and parent: %s',
      ),
      ...of(
        'e2e/durability.processes.test.ts',
        'are gone with a server that is killed, whoever left group, environment and parent (needs bubblewrap and user namespaces)',
      ),
    ],
  },
];
