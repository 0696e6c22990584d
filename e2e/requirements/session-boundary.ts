import { of, type Requirement } from './requirement.ts';

const SERVERS = 'apps/server/src/sessions/session-servers.test.ts';
const OWN = 'apps/server/src/sessions/own-servers.test.ts';
const BOUNDARY = 'apps/server/src/sessions/session-boundary.test.ts';
const SANDBOX = 'apps/server/src/agents/agent-sandbox.test.ts';
const NETWORK = 'apps/server/src/agents/agent-sandbox-network.test.ts';
const REAL = 'e2e/mcp-real-agents.test.ts';
const GRANTED = 'e2e/mcp-granted-roots.test.ts';

/** The MCP servers of a session, and its boundary while it lasts. */
export const sessionBoundary: readonly Requirement[] = [
  {
    id: 'MCP-SESSION-1',
    promise: 'an agent reaches the MCP servers of its session through Reeve alone, whatever transport it announces',
    source: 'protocol.md section 2; boundary.md section 7: endpoint',
    tests: [
      ...of(
        SERVERS,
        'are reached by the agent through endpoints of Reeve alone, whatever it announces, and keep their secrets',
        'come from the configuration too, unless the client has one of that name',
        'are replaced when a client loads a session without a process with others',
        'are reached over HTTP by an agent that takes no command',
        'that begin later are known to an agent that lists tools only once: it is started again',
      ),
      ...of(SANDBOX, 'sees the endpoints of its MCP servers, and no file that would have it start others'),
      ...of(NETWORK, 'reaches the endpoints by which Reeve serves it MCP servers, whatever its rule is'),
      ...of(REAL, 'sees exactly the roots that it was granted, and works in them'),
      ...of(
        GRANTED,
        'says itself that it may work in what the command line and the session have in common, and nowhere else',
        'reads there, and neither where the agent works nor where its command line alone leads',
      ),
    ],
  },
  {
    id: 'MCP-SESSION-2',
    promise: 'endpoints and servers outlive the agent process, end with the session, and are left by no failed start',
    source: 'issue 4: Between agent and servers',
    tests: of(
      SERVERS,
      'outlive the agent process, and end with the session',
      'stay where somebody prompts who says nothing of servers, though the process is gone',
      'leave nothing open when the agent opens no session',
      'let go of calls that wait for a person when the turn is cancelled',
    ),
  },
  {
    id: 'MCP-SESSION-3',
    promise: 'each MCP server of a session is told with its state, roots and enforcement, the ungoverned ones as such',
    source: 'issue 5: Truth; boundary.md section 7: other servers of the agent',
    tests: [
      ...of(
        SERVERS,
        'are told with what they may have, in results, in lists and when they change',
        'that the client itself serves are left to the agent, and told as ungoverned',
        'that the agent would start by itself are told as ungoverned, with where they come from',
        'are told once where a file of the project names one of theirs, with that file',
      ),
      ...of(
        OWN,
        'are masked where a file names nothing else, and told where it must be seen',
        'are told and not masked where nothing confines the agent',
        'are told and not masked where git tracks the file: a commit would empty it',
        'are told and not masked where the file is a link: it could be replaced',
        'are found in the settings of the user, with comments in them',
        'are told by the name of the file where it cannot be understood',
      ),
      ...of(
        REAL,
        'is hidden from it, and waits for a person before Reeve starts it',
        'is left to it where git tracks the file, and told with that file',
      ),
    ],
  },
  {
    id: 'MCP-SESSION-4',
    promise: 'a server that nobody knows is put to a person, on every client and in the inbox, before it starts',
    source: 'boundary.md section 3',
    tests: [
      ...of(
        SERVERS,
        'is a permission to every controller, and the first answer counts',
        'outlives turns, and is asked of a controller that comes later',
        'that an administrator must answer is offered to no client of ACP, and keeps the session from being let go',
      ),
      ...of(REAL, 'is put to a person before it is started, over HTTP and to every client'),
    ],
  },
  {
    id: 'MCP-SESSION-5',
    promise: 'with real agents a call outside the roots is a result with isError, and the turn ends normally',
    source: 'boundary.md sections 4 and 7: refusals',
    tests: of(
      REAL,
      'is refused what lies outside, as the result of the tool, and the turn ends as it should',
      'has its secrets nowhere in what Reeve writes',
    ),
  },
  {
    id: 'BOUNDARY-SET-1',
    promise:
      'the boundary of a session can be changed while it lasts: durable, told to every client, kept over restores',
    source: 'protocol.md section 1: set_boundary, boundary_update',
    tests: of(
      BOUNDARY,
      'is announced, kept with the session, and told to everybody who is attached',
      'leaves what is not named as it was, and is no change where it is the same',
      'is refused with what to mend, and changes nothing',
      'is set on a session that has no process, which is not started for it',
      'counts for a fork',
      'is that of a workspace which the configuration names, with its servers, for forks and restores too',
    ),
  },
  {
    id: 'BOUNDARY-SET-2',
    promise: 'a narrower boundary is reported as done when nothing of the session runs in the wider one any more',
    source: 'boundary.md section 4: revocation; issue 4',
    tests: [
      ...of(
        BOUNDARY,
        'that is narrower ends the turn and the process, and the next prompt finds the session in the narrower one',
        'that is narrower ends the process also where it cannot be written down, and is not told as done',
        'of a session of ACP v2 that is narrower ends its work as cancelled, and the next prompt is taken',
      ),
      ...of(REAL, 'loses a root at once that is taken from the session'),
    ],
  },
  {
    id: 'BOUNDARY-SET-3',
    promise: 'a wider boundary interrupts no turn, and changes in a row with prompts racing lose none of them',
    source: 'boundary.md section 4: long-running work; issue 4',
    tests: of(
      BOUNDARY,
      'that is wider waits for the end of the turn, which goes on',
      'that is another for an MCP server alone leaves the process as it is, but not one that is outdated already',
      'changes a hundred times with prompts racing, and every one of them is answered',
    ),
  },
];
