import { of, type Requirement } from './requirement.ts';

const DEMO = 'e2e/demo.test.ts';

/** `reeve demo`. */
export const demo: readonly Requirement[] = [
  {
    id: 'DEMO-1',
    promise:
      'the demonstration needs no key, no network and nothing of the caller: a real agent in a sandboxed session asks a question and a permission, edits a file and calls a tool of an MCP server that was reviewed first; it runs through with --yes',
    source: 'issue: The console',
    tests: of(
      DEMO,
      'runs through by itself with --yes: a server reviewed, a question, an edit after a diff, and nothing from outside',
      'takes nothing of the caller: no configuration, no server, no agent',
      'refuses a port that is none',
      'is what "npm run demo" starts',
    ),
  },
  {
    id: 'DEMO-2',
    promise:
      'each of its attempts to read outside the root is shown with what refused it (the gate before an MCP server with an alarm), its session stands in an audit log that is checked, and where nothing holds the agent that is said',
    source: 'issue: The console',
    tests: of(
      DEMO,
      'shows that each way to a file outside is refused, by what, and what the audit log has of it (needs bubblewrap)',
      'says so where no sandbox works: the boundary is declared, and was not kept (needs bubblewrap, to hide it)',
    ),
  },
  {
    id: 'DEMO-3',
    promise:
      'without --yes it waits for whoever opens the address that it prints, stays until it is told to end, and leaves nothing behind',
    source: 'issue: The console',
    tests: [
      ...of(
        DEMO,
        'waits for whoever opens its address, goes on where they say no, and stays until it is told to end',
        'prints without --yes too what is asked, with the whole review, and names what was answered elsewhere',
        'leaves nothing behind when it is interrupted while it waits',
      ),
      ...of('e2e/console/demo.test.ts', 'is opened by the address that is printed, and answers all that is asked'),
    ],
  },
];
