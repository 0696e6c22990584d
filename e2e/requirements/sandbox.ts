import { of, type Requirement } from './requirement.ts';

const FILES = 'packages/sandbox/src/bubblewrap/confined-files.test.ts';
const BELOW = 'packages/sandbox/src/bubblewrap/repositories-below.test.ts';
const PROCESS = 'packages/sandbox/src/bubblewrap/confined-process.test.ts';
const ARGUMENTS = 'packages/sandbox/src/bubblewrap/bubblewrap-arguments.test.ts';
const SANDBOXED = 'e2e/sandboxed-agents.test.ts';
const PROFILE_OF_AGENT = 'apps/server/src/agents/agent-sandbox.test.ts';
const REPLACED = 'e2e/replaced-roots.test.ts';
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
  {
    id: 'SANDBOX-AGENT-1',
    promise:
      'real agents work inside their boundary as they come: text, edits, shell and git in the root; siblings, homes and secrets of the server are out of sight',
    source: 'sandbox: 6; issue: The wall',
    tests: of(
      SANDBOXED,
      'answers, and edits a file with permission',
      'commits, branches and makes worktrees with git, and finds no sibling, no home and no secret of the server',
      'is loaded again by a new server, in a new process that remembers',
    ),
  },
  {
    id: 'SANDBOX-AGENT-2',
    promise:
      'an agent is not started where its boundary must be enforced and cannot be, or where a root is not what was approved; the error says what to do',
    source: 'sandbox: 4; issue: The wall',
    tests: [
      ...of(
        SANDBOXED,
        'where its root was deleted or swapped since it was approved, and is once it is back',
        'where no sandbox works, and the error says both ways out',
        'where the client asks for a boundary that is only declared, and the configuration does not allow it',
      ),
      ...of(REPLACED, 'keeps the agent from being started until %s is back, or approved again'),
      ...of(
        FILES,
        'are not shown where another directory stands at the path of %s than the one that was approved, by inode or by birth',
      ),
      ...of(PROFILE_OF_AGENT, 'is only declared where the configuration says so, whatever a client asks for'),
      ...of(
        'apps/server/src/agents/sandbox-summary.test.ts',
        'is what holds agents, where something does',
        'is that agents are not started, why, and both ways out, where nothing does',
        'is that agents run unconfined, where that was chosen',
      ),
    ],
  },
  {
    id: 'SANDBOX-AGENT-3',
    promise:
      'an agent is shown its program, its state and a private HOME for each project, and nothing more of the machine',
    source: 'sandbox: 2, 6',
    tests: of(
      PROFILE_OF_AGENT,
      'sees its roots, and of programs its own file with the packages around it',
      'is started by the real path of a script that a link leads to, and sees what interprets it',
      'never sees a whole HOME or the data of Reeve for a package.json that lies there',
      'has a private HOME for each project, and in it what it keeps in the real one',
      'has the real HOME where a root holds it, but never the data of Reeve',
      'sees the endpoints of its MCP servers, and no file that would have it start others',
      'is given no variables that name directories which are not there inside',
    ),
  },
  {
    id: 'SANDBOX-AGENT-4',
    promise:
      'the network of an agent is what the operator says, else the hosts that it needs, else everything, said aloud; a client cannot have more than the operator allows; what is refused is told',
    source: 'sandbox: 2, Network',
    tests: [
      ...of(
        'apps/server/src/agents/agent-sandbox-network.test.ts',
        'is what the operator says, before all else',
        'is what the agent needs, with the hosts that its environment names',
        'is everything, and says so, where nobody knows what it needs or a proxy stands between',
        'is narrowed by a client to what the agent needs, and widened where the operator said nothing',
        'is never more than the operator says, whatever a client asks for',
        'reaches the endpoints by which Reeve serves it MCP servers, whatever its rule is',
      ),
      ...of(SANDBOXED, 'is refused, and the session says so'),
      ...of(
        'packages/sandbox/src/egress/egress-watch.test.ts',
        'is told once a minute for each host, to the log at once and to who listens later too',
        'is not told more than thirty times a minute, however many names are asked for',
      ),
    ],
  },
  {
    id: 'SANDBOX-AGENT-5',
    promise: 'what holds an agent is told as a fact, with each gap: in results, over HTTP, on the command line',
    source: 'sandbox: 4; protocol: 1',
    tests: [
      ...of(SANDBOXED, 'is told to be enforced, with its roots and its network, in results and over HTTP'),
      ...of(PROFILE_OF_AGENT, 'is told with the gaps of the sandbox, its own, and what it was shown'),
      ...of(
        'apps/cli/src/describe-boundary.test.ts',
        'tells roots, network, what holds it and each gap, and no control characters',
        'says that nothing holds it, where it is only declared or there is no process',
      ),
    ],
  },
  {
    id: 'SANDBOX-AGENT-7',
    promise:
      'what a process cannot write in a read-write root, and somebody outside replaces, is told as a gap, in the log of the session and the audit log; the agent is started again before its next turn, in which it is protected, an MCP server at once',
    source: 'docs/sandbox.md; rename(2)',
    tests: [
      ...of(
        'e2e/lost-protection.test.ts',
        'is told as a gap when somebody outside replaces %s, and is protected again from the next turn on',
        'is protected in the very next turn where it was replaced between two, and told where it was deleted',
        'is looked after in what it keeps as well, where its own settings are',
        'is protected again from an MCP server, which is started again at once',
        'keeps the agent from going on where it is a root of its own, until somebody names that again',
      ),
    ],
  },
  {
    id: 'SANDBOX-AGENT-9',
    promise: 'what appears under a protected name while an agent process lives is told in the log of its session, once',
    source: 'sandbox: 2, last paragraph; docs/sandbox.md',
    tests: of(
      'e2e/lost-protection.test.ts',
      'is told once where it was not there at the start and was made since, also in a repository below',
    ),
  },
  {
    id: 'SANDBOX-AGENT-6',
    promise:
      'a boundary that a client asks for is checked, by where its directories are, and refused with what was amiss and how to mend it',
    source: 'protocol: 1, 2; boundary: 2',
    tests: [
      ...of(
        'packages/protocol/src/boundary.test.ts',
        'is taken as it is where nothing is amiss, and may say as little as it likes',
        'is refused with the place of what is amiss, what was expected and how to mend it: %j',
      ),
      ...of(
        'apps/server/src/boundary/resolve-boundary.test.ts',
        'is the working directory and the additional ones, read-write, unless it says so itself',
        'names directories by where they are, whatever links lead there',
        'has no roots that are not there, neither directories nor files, named twice, of the system or of Reeve itself',
        'holds the directories that it is used with, by component and not by the beginning of a name',
        'has at most as many roots as the configuration says, and the refusal names the setting',
      ),
    ],
  },
  {
    id: 'SANDBOX-AGENT-8',
    promise:
      'an agent whose settings are symlinks starts: what they lead to is read-only, and that the link can be replaced is told',
    source: 'sandbox.md (tells the truth about what it enforces)',
    tests: of(
      FILES,
      'show what a symlink in a state directory leads to read-only, and say that the symlink itself can be replaced',
    ),
  },
];
