import { of, type Requirement } from './requirement.ts';

const SANDBOX = 'packages/sandbox/src';
const FILTER = `${SANDBOX}/seccomp/seccomp-filter.test.ts`;
const FILTERED = `${SANDBOX}/seccomp/seccomp-under-bubblewrap.test.ts`;

/** What keeps a process inside, by whichever backend, and what proves it. */
export const escapes: readonly Requirement[] = [
  {
    id: 'ESCAPE-1',
    promise:
      'every way out of the list is tried from inside and blocked, for root and an unprivileged user, judged from outside',
    source: 'sandbox 3; issue: The wall',
    tests: of(`${SANDBOX}/escape/escape.test.ts`, 'is stopped at every attempt to get out'),
  },
  {
    id: 'ESCAPE-2',
    promise: 'the same attempts succeed without a sandbox, so they can fail',
    source: 'issue: The wall',
    tests: of(
      `${SANDBOX}/escape/escape.test.ts`,
      'gets out by the same attempts, so that they are known to work',
      'have each a name of their own, and a boundary to be tried in',
    ),
  },
  {
    id: 'ESCAPE-3',
    promise: 'the threat model names what is stopped, by the attempts that show it',
    source: 'issue: The wall',
    tests: of(`${SANDBOX}/escape/escape.test.ts`, 'are listed in the threat model, each with what it tries'),
  },
  {
    id: 'ESCAPE-4',
    promise: 'the agent of a session is stopped at each of them in the very profile that its session makes',
    source: 'sandbox 3; issue: The wall',
    tests: of(
      'apps/server/src/agents/agent-escapes.test.ts',
      'is stopped at every attempt to get out of its sandbox',
      'gets out where an agent does not',
    ),
  },
  {
    id: 'SECCOMP-1',
    promise:
      'system calls that reach other processes, mounts, namespaces or the kernel are refused, by number and by argument',
    source: 'sandbox 2, 3',
    tests: [
      ...of(
        FILTER,
        'knows the calls by the numbers of the kernel',
        'refuses %s',
        'lets threads and processes be made, but no namespace by any flag',
        'refuses input into a terminal, however the upper half of the command is filled',
        'has sockets of unix, IPv4, IPv6 and the list of routes, and no other',
        'refuses a file that would run as its owner, by every call that makes one',
        'ends a process that calls by another architecture, the 32-bit ones included',
        'refuses what its rules have not judged yet',
      ),
      ...of(FILTERED, 'is refused %s, which it has without'),
    ],
  },
  {
    id: 'SECCOMP-2',
    promise: 'node, git, npm and the real agents run under the filter',
    source: 'sandbox 6',
    tests: of(
      FILTERED,
      'can do the work of an agent: node with its threads, network list and children, bash, git, npm',
      'starts: %s',
    ),
  },
  {
    id: 'LIMITS-1',
    promise: 'each limit is held by the best tier of the machine, and the tier is told',
    source: 'sandbox 4',
    tests: [
      ...of(
        `${SANDBOX}/limits/plan-limits.test.ts`,
        'gives each limit to the best tier that the machine has',
        'lets a delegated cgroup hold memory and processes, and watches only the clock',
        'does not pretend that a limit on processes binds root, or counts one sandbox where it counts the user',
        'says what is not held where nothing can hold it',
      ),
      ...of(
        `${SANDBOX}/limits/hold-limits.test.ts`,
        'end a file at its size',
        'end the opening of files at their number',
        'is held for each sandbox alone, whatever else its user runs',
        'sees the memory of a tree grow past its limit, summed over its processes',
        'tells the end of the time once, and not before it',
      ),
    ],
    byHand:
      'a delegated cgroup v2: run the tests in a unit with Delegate=yes and DelegateSubgroup=, where one is then not skipped',
  },
  {
    id: 'BACKEND-1',
    promise: 'containers, seatbelt and landlock get the same profile, and say what they do not hold',
    source: 'sandbox 1, 4',
    tests: [
      ...of(
        `${SANDBOX}/container/container.test.ts`,
        'give the program nothing but its boundary',
        'cannot be widened by the name of a directory',
        'end the container by its name, and say what a container does not hold',
        'believes only a program that ran',
      ),
      ...of(
        `${SANDBOX}/seatbelt/seatbelt-profile.test.ts`,
        'denies by default, and lets the roots be read and only the read-write ones be written',
        'cannot be rewritten by the name of a directory',
        'says what it does not hold',
      ),
      ...of(
        `${SANDBOX}/landlock/landlock.test.ts`,
        'take every right away, and give writing back only in read-write roots and in HOME',
        'never pass for the whole boundary',
        'is not taken in by a setpriv that applies nothing',
      ),
      ...of(
        `${SANDBOX}/wrapped/wrap-launch.test.ts`,
        'begins with the limits, then the boundary, then the program as it was',
        'has its files staged for the time it runs, the environment readable by nobody else',
      ),
      ...of(
        `${SANDBOX}/wrapped/wrapped-process.test.ts`,
        'has its stdio, environment and exit code through the client, and is removed at its end',
        'holds a profile that must be enforced, unless it is landlock',
        'is refused, with the next step, where the engine does not work',
      ),
    ],
    byHand:
      'macOS, a container engine, util-linux 2.41: each test that needs one is skipped elsewhere with that reason',
  },
];
