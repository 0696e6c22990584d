import { of, type Requirement } from './requirement.ts';

const FILES = 'packages/sandbox/src/bubblewrap/confined-files.test.ts';
const SANDBOXED = 'e2e/sandboxed-agents.test.ts';
const PROFILE_OF_AGENT = 'apps/server/src/agents/agent-sandbox.test.ts';
const REPLACED = 'e2e/replaced-roots.test.ts';

/** What agents have of that, and what is told of it. */
export const sandboxedAgents: readonly Requirement[] = [
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
