import { of, type Requirement } from './requirement.ts';

const FILES = 'packages/sandbox/src/bubblewrap/confined-files.test.ts';
const BELOW = 'packages/sandbox/src/bubblewrap/repositories-below.test.ts';
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
    id: 'SANDBOX-2A',
    promise:
      'a root that holds the data of Reeve, its token among it, or the compiled code that its next start runs, is had without them: by agents, by MCP servers, and by what Reeve itself serves',
    source: 'docs/sandbox.md: roots',
    tests: [
      ...of(
        'e2e/own-places.test.ts',
        'is shown to an agent without it',
        'is served by Reeve itself without it: neither read nor written, whatever leads there',
        'is shown to an MCP server without it',
      ),
      ...of(
        'apps/server/src/boundary/own-places.test.ts',
        'what is Reeve’s own is its data and the compiled code that it chose a directory for, with links followed',
      ),
    ],
  },
  {
    id: 'SANDBOX-2B',
    promise:
      'what makes git run code below a root (submodules, linked work trees, other repositories, files that name a git directory) holds as well where it exists at the start, git outside runs nothing by it, and ordinary git goes on inside; what is not held is told',
    source: 'docs/sandbox.md, What git finds in a root',
    tests: [
      ...of(
        BELOW,
        'is what the attacks are made for: outside of a sandbox each makes git run what it names',
        'cannot be written where it exists, so that git outside runs nothing of it',
        'cannot be moved away with a directory around it',
        'goes on as ever with git inside: state, commits, branches, work trees, submodules, other repositories',
        'lets nothing inside write a configuration: what has to, such as `git submodule update`, says so and stops',
        'is not held where the process makes it anew, and told where that is in a git directory which was there',
        'keeps the access of what has its own: read-only roots, protected and hidden directories',
        'is held in a root that is the git directory of a linked work tree, and told where `.git` is a symlink',
        'is started with, and told as a gap, where the user of the server may not enter it',
        'is started with, and told as a gap, where there is more of it than can be held',
      ),
      ...of(
        'packages/sandbox/src/git-search.test.ts',
        'is where files and configurations of git say, below what is looked at as well',
        'never lies outside, and is not followed in circles, through symlinks or into pipes',
        'is not looked for where packages are fetched to',
        'is not looked for in mounts of other machines, which may never answer, but in a root on one',
        'is bounded for all roots together: each has its share, and what others leave',
        'is bounded: those nearest to the directory come first, and how many are left out is told',
      ),
      ...of(
        'packages/sandbox/src/container/container.test.ts',
        'protect what git finds below a root as well, and say so of what the engine cannot be told',
      ),
      ...of(
        'packages/sandbox/src/seatbelt/seatbelt-profile.test.ts',
        'takes it away from what git finds in a root that is a git directory, and in repositories below one, too',
      ),
    ],
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
        'are gone with a server that is killed, its MCP servers in their sandboxes too (needs bubblewrap and user namespaces)',
      ),
    ],
  },
];
