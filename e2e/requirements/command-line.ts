import { of, type Requirement } from './requirement.ts';

const CLI = 'apps/cli/src/cli.test.ts';

/** The command line. */
export const commandLine: readonly Requirement[] = [
  {
    id: 'CLI-1',
    promise:
      'run prints text on stdout, progress on stderr, raw ACP with --json; --permissions decides; a non-TTY never prompts',
    source: 'issue: CLI',
    tests: [
      ...of(
        CLI,
        'prints the answer on stdout and progress on stderr',
        'reads the prompt from stdin, and prints raw ACP with --json',
        'with --permissions %s ends with %i',
        'leaves a permission to another client with --permissions wait',
      ),
      ...of(
        'apps/cli/src/permission-policy.test.ts',
        'refuses, and remembers it, when it should ask and nobody is there',
      ),
    ],
  },
  {
    id: 'CLI-2',
    promise: 'sessions, attach, requests and agents from the command line',
    source: 'issue: CLI',
    tests: of(
      CLI,
      'lists, shows, reads, closes and removes',
      'are followed and attached to until interrupted',
      'lists and checks',
      'leaves a permission to another client with --permissions wait',
    ),
  },
  {
    id: 'CLI-3',
    promise: 'exit codes say what happened',
    source: 'issue: CLI',
    tests: [
      ...of('apps/cli/src/exit-name-of.test.ts', '%s ends with %i'),
      ...of(
        CLI,
        'goes by the data directory, and ends with 7 when none runs and 6 when the token is wrong',
        'cancels the turn when time is up, or when interrupted',
      ),
    ],
  },
  {
    id: 'CLI-4',
    promise: 'the link that signs in to the console is one command away, and is printed only for who has the token',
    source: 'the console',
    tests: of(CLI, 'prints the link that signs in to the console of the running server'),
  },
  {
    id: 'CLI-5',
    promise: 'compiled code that the next start runs is kept where neither other users nor sandboxes write',
    source: 'threat-model: Who acts',
    tests: of(
      'apps/cli/src/compiled-code.test.ts',
      'is kept in a directory of the user, and not among temporary files, where others could change what runs',
      'is kept where the user has caches, but never in a place that depends on the working directory',
      'is not kept without a home, nor where nothing can be written, and everything runs as it does else',
    ),
  },
];
