import { of, type Requirement, type TestReference } from './requirement.ts';

const CONFORMANCE = 'apps/server/src/sessions/conformance.test.ts';
const INTEROP = 'e2e/interop.test.ts';

type Row = readonly [ids: string, promise: string, tests: readonly TestReference[]];

const rows: readonly Row[] = [
  [
    'TRANSPORT-001/002',
    'each frame is one JSON-RPC 2.0 message in UTF-8',
    of(CONFORMANCE, 'TRANSPORT-001/002: every frame is one JSON-RPC 2.0 message'),
  ],
  [
    'JSONRPC-001',
    "the response's id is the request's",
    of(CONFORMANCE, 'JSONRPC-001: answers with the id %j as it came'),
  ],
  [
    'JSONRPC-002',
    'exactly one of result and error',
    of(CONFORMANCE, 'JSONRPC-002: has exactly one of result and error, with an integer code and a message'),
  ],
  ['JSONRPC-003', 'a notification is never answered', of(CONFORMANCE, 'JSONRPC-003: answers no notification')],
  [
    'JSONRPC-004/005',
    'unknown method: -32601, and the connection works on',
    of(CONFORMANCE, 'JSONRPC-004/005: refuses unknown methods with -32601 and works on'),
  ],
  [
    'INIT-001/002/004',
    'version 1 is answered with 1, agentInfo is there',
    of(CONFORMANCE, 'INIT-001/002/004: answers version 1 with 1, and tells what the agent is and what Reeve adds'),
  ],
  ['INIT-003', 'any other version is answered with ours', of(CONFORMANCE, 'INIT-003: answers version %d with its own')],
  [
    'SCHEMA-001',
    'all that a basic exchange emits is valid by schema',
    of(
      'e2e/schema.test.ts',
      'everything that Reeve sends to a client is valid by the schema of ACP v1',
      'what Reeve writes of models, modes and options in the place of the agent is valid too',
    ),
  ],
  [
    'SESSION-001/002',
    'each session/new gives an id of its own',
    of(CONFORMANCE, 'SESSION-001/002: gives each session an id of its own'),
  ],
  [
    'PROMPT-001/002/003',
    'a prompt ends with a stop reason after its updates',
    of(CONFORMANCE, 'PROMPT-001/002/003: ends with a stop reason after updates with the right session id'),
  ],
  [
    'CANCEL-001/002',
    'a cancelled turn ends as cancelled, after its updates',
    of(CONFORMANCE, 'CANCEL-001/002: a cancelled turn ends as cancelled, after its updates'),
  ],
  [
    'LOAD-001/002/003',
    'all replay before the response, none after',
    of(CONFORMANCE, 'LOAD-001/002/003: replays all before the response and nothing after; the result is an object'),
  ],
  [
    'RESUME-001/002',
    'works without mcpServers, no history',
    of(CONFORMANCE, 'RESUME-001/002: works without mcpServers and shows no history'),
  ],
  [
    'LIST-001/002',
    'an array; an unused cwd gives none',
    of(CONFORMANCE, 'LIST-001/002: lists by directory, an unused one gives nothing'),
  ],
  [
    'DELETE-001/002',
    'deletes; unknown succeeds',
    of(CONFORMANCE, 'DELETE-001/002: deletes a session; one that is unknown or gone is no error'),
  ],
  [
    'CLOSE-001/002',
    'closes an idle and a running session',
    [
      ...of(
        CONFORMANCE,
        'CLOSE-001/002: closes an idle session, and a running one with its prompt answered as cancelled',
      ),
      ...of(INTEROP, 'answers the running prompt `cancelled` when its session is closed'),
    ],
  ],
  [
    'ADDDIRS-001',
    'absolute additionalDirectories are accepted',
    of(CONFORMANCE, 'ADDDIRS-001: takes absolute additional directories to the agent'),
  ],
  [
    'MODES-001/002',
    'modes are consistent, set_mode works',
    of(CONFORMANCE, 'MODES-001/002: the current mode is among the available, and set_mode is kept for those who load'),
  ],
  [
    'CONFIG-001/002',
    'set answers with the complete list',
    of(CONFORMANCE, 'CONFIG-001/002: setting an option answers with the complete list, which load gives too'),
  ],
  [
    'PROMPTCAP-001/003',
    'what is advertised reaches the agent',
    of(CONFORMANCE, 'PROMPTCAP-001/003: images and embedded resources reach the agent as they are'),
  ],
  [
    'AUTH-001/003/004',
    'methods with unique ids; authenticate and logout',
    of(CONFORMANCE, 'AUTH-001/003/004: has methods with unique ids; authenticate and logout reach the agent'),
  ],
];

/** The ids of the public conformance kit for ACP v1 agents: what Reeve owes its clients as their agent. */
export const conformance: readonly Requirement[] = rows.map(([ids, promise, tests]) => ({
  id: `ACP ${ids}`,
  promise,
  source: 'ACP v1 conformance kit',
  tests,
}));
