import { of, type Requirement, type TestReference } from './requirement.ts';

const GUARDED_SERVER = 'apps/server/src/boundary/guarded-server.test.ts';
const GATEWAY = 'apps/server/src/mcp/mcp-gateway.test.ts';
const HTTP = 'apps/server/src/mcp/http-transports.test.ts';
const ERAS = 'apps/server/src/mcp/eras.test.ts';
const RELAY = 'apps/server/src/mcp/relay/server-relay.test.ts';
const SHIM = 'apps/server/src/mcp/endpoint/shim.test.ts';
const LIMITS = 'apps/server/src/mcp/gateway-limits.test.ts';

/** What stands between agents and MCP servers. */
export const mcp: readonly Requirement[] = [
  {
    id: 'MCP-1',
    promise: 'an agent reaches its MCP servers through Reeve and notices nothing of that',
    source: 'boundary 7; design, how data flows',
    tests: [
      ...of(GATEWAY, 'speak through the gateway as they do without it'),
      ...of(
        'apps/server/src/mcp/same-as-direct.test.ts',
        'is what it gets without, of the reference server of everything',
        'is what it gets without, of a server of 2026-07-28',
      ),
    ],
  },
  {
    id: 'MCP-2',
    promise: 'roots are answered by Reeve from the boundary; the agent is never asked',
    source: 'boundary 1; MCP 2025-11-25, client, roots',
    tests: of(GATEWAY, 'has the roots of the boundary, whatever the agent would say of its own'),
  },
  {
    id: 'MCP-3',
    promise:
      'agents that take no commands reach their servers by HTTP, with a secret for each, and wait as long as it takes',
    source: 'boundary 7; MCP 2025-11-25, transports, streamable HTTP',
    tests: of(
      HTTP,
      'speaks with its server as others do, without a session id',
      'hears headers at once, comments while it waits, and the answer at the end',
      'is refused without the secret, from a page, by another name, and finds nothing to log in to',
      'is unknown once its session has ended',
      'takes back a call by leaving',
      'has as many connections as it may need, and no more',
    ),
  },
  {
    id: 'MCP-4',
    promise: 'servers are reached over stdio, streamable HTTP and SSE, whatever the agent knows',
    source: 'issue 4; MCP 2025-11-25, transports',
    tests: of(
      HTTP,
      'is spoken with like one that is started',
      'that is not there has failed in the end, and the reason tells no URL',
      'has failed at once, and says so to the agent and the person',
    ),
  },
  {
    id: 'MCP-5',
    promise: 'old agents work with new servers and new agents with old ones; who speaks the same is not translated',
    source: 'boundary 1; MCP 2026-07-28 and 2025-11-25, lifecycle',
    tests: of(
      ERAS,
      'find to each other, and the agent keeps what it is told of the server',
      'find to each other',
      'is opened in the era of its %s agent',
      'is started again and opened as it wants',
      'is told which version to speak when it asks for one that nobody knows',
      'tells the agent when the tools of the server change',
      'hears of changes and progress as its era has it',
      'one that is %s reaches a new server',
    ),
  },
  {
    id: 'MCP-6',
    promise:
      'what a server asks during a call reaches whoever can answer: roots us, the rest the agent, who else is declined',
    source: 'boundary 1, 7; MCP 2026-07-28, multi round-trip requests',
    tests: of(
      ERAS,
      'has the server told its roots by us, with its state byte for byte, and never the agent asked',
      'has the agent asked what only it can answer, beside the roots',
      'tells the server what its agent can do, and declines in its place what it cannot',
      'has roots answered by us, and the agent asked by the answer to its call, which goes on with the same call',
      'leaves no call behind that it was asked about and does not send again, and sends none twice',
    ),
  },
  {
    id: 'MCP-7',
    promise: 'messages pass as they are: ids and progress tokens are ours in between, what is unknown is kept',
    source: 'design: Rules that hold everywhere; boundary 1',
    tests: of(
      RELAY,
      'keeps what it does not know, in both directions',
      'gives requests ids and progress tokens of its own, and brings back those of the agent, text or number',
      'cancels the call that the agent means, by the id that the server knows',
      'passes on what a server asks of its agent, with ids of its own, and declines what the agent does not offer',
      'serves agents beside each other, each with its own answers',
    ),
  },
  {
    id: 'MCP-8',
    promise: 'what a server claims of its tools reaches the agent only when the server is trusted, and the gate always',
    source: 'boundary 3, 7',
    tests: of(RELAY, 'shows what a server claims of its tools only where it is trusted (%s)'),
  },
  {
    id: 'MCP-9',
    promise:
      'every call passes the gate; refused and revoked ones are results with isError, and the server stops working',
    source: 'boundary 4, 7',
    tests: [
      ...of(
        RELAY,
        'answers what the gate refuses as a result with isError, and tells the gate how calls end',
        'ends a call that the gate revokes, here and at the server',
      ),
      ...of(
        'apps/server/src/mcp/relay/hold-with-progress.test.ts',
        'tells the agent every 10 s that it is, under its own token, and no more once it is decided',
        'is silent for an agent that wants no progress, and once the agent has taken it back',
      ),
    ],
  },
  {
    id: 'MCP-10',
    promise:
      'a server that ends is started again without its agent noticing; only harmless calls of trusted servers run twice',
    source: 'boundary 7; issue 4',
    tests: of(
      RELAY,
      'is started again, and the agent goes on with it: calls cut off have failed, others wait',
      'is sent again what cannot do harm twice, once, and only when it is trusted',
      'is subscribed to again',
      'that has failed is started again when a person says so',
      'that was refused says why and what to do, and is asked about again when a person says so',
    ),
  },
  {
    id: 'MCP-11',
    promise: 'a change of the scope is through when the server knows it, runs anew in it, or does not run',
    source: 'boundary 4',
    tests: of(
      RELAY,
      'is told to a server that keeps its roots, which asks for them again',
      'that needs another process is through when that runs, and the agent notices nothing but a wait',
      'of a server that does not run is through at once',
      'before any agent is there replaces the process, and the agent finds the new one',
    ),
  },
  {
    id: 'MCP-12',
    promise: 'a server that floods slows no other, and the end of a session ends its servers',
    source: 'issue 4; design: Rules that hold everywhere',
    tests: of(
      RELAY,
      'costs what it costs itself: calls of another go on',
      'a server that asks for its roots without end gets one answer for many',
      'a gate that breaks lets nothing through, and nothing else breaks',
      'ends its servers and connections, and leaves no socket behind',
    ),
  },
  {
    id: 'MCP-13',
    promise: 'between an agent and the socket of its server stands a program that needs nothing, and dials again',
    source: 'boundary 7',
    tests: of(
      SHIM,
      'carries both ways, dials again when the connection ends, and ends with the agent',
      'ends with the agent also while no endpoint is there',
      'waits for an endpoint that is not there yet, and carries what is long',
      'needs nothing in a sandbox but itself and the socket',
      'starts socat where that is there, else our script in this Node',
      'names a URL and its secret for agents that take HTTP',
    ),
  },
  {
    id: 'MCP-16',
    promise:
      'a server that is a package is reviewed with its exact version and the sha512 of its archive, which is what runs and is shown then',
    source: 'boundary 3; docs/boundary.md, packages',
    tests: [
      ...of(
        'e2e/server-packages.test.ts',
        'is reviewed with its exact version and the sha512 of its archive, which is what runs and is shown then, though its tag moves',
        'is looked up and reviewed anew when its server was forgotten',
      ),
      ...of(
        'apps/server/src/mcp/launch/server-packages.test.ts',
        'is told for a review in its exact version with the sha512 of its archive, and nothing is fetched',
        'stays what was approved, though its tag has moved, until the server is forgotten',
        'is told to be unknown, with why, where the registry %s',
        'is told to be pinned by nothing where the command fetches it by itself',
        'is asked for with few others at a time, and not for who left meanwhile',
      ),
      ...of(
        GUARDED_SERVER,
        'is reviewed with the package that its command fetches and the names of its variables, and what was shown is pinned first',
        'is not asked about where it is approved elsewhere while its package is looked up',
      ),
      ...of(
        'e2e/console/governance.test.ts',
        'shows the package that a server fetches and the names of its variables, before somebody decides',
      ),
      ...of('packages/protocol/src/review-package.test.ts', 'a package is told with what pins it: %j'),
    ],
  },
  {
    id: 'MCP-15',
    promise: 'a held call of Claude is answered as pending before the time is up that MCP_TOOL_TIMEOUT gives each call',
    source: 'boundary 7, waiting for a human; docs/mcp-gateway.md',
    tests: [
      ...of(
        'apps/server/src/mcp/gate/call-patience.test.ts',
        'waits as its environment says, where it heeds that: %s, MCP_TOOL_TIMEOUT=%s',
      ),
      ...of(
        'apps/server/src/sessions/session-servers.test.ts',
        'wait for an answer as long as the environment of the agent lets it wait',
      ),
      ...of(
        'e2e/held-calls.test.ts',
        'is told to be pending before the time is up that its environment gives each call',
      ),
    ],
  },
  {
    id: 'MCP-14',
    promise: 'a server of 2026-07-28 that is reached by HTTP is told in headers what its schema wants there',
    source: 'MCP 2026-07-28, transports, streamable HTTP',
    tests: [
      ...of(HTTP, 'is told roots, and what of a call its schema wants in headers'),
      ...of(
        'apps/server/src/mcp/wire/parameter-headers.test.ts',
        'are named there, at any depth, and others are not',
        '%j goes as %j',
        '%j has none',
      ),
    ],
  },
  at('limits.mcpInputRounds', 'a call for which the server asks more often has failed', [
    ...of(ERAS, 'mcpInputRounds: ends a call for which the server asks more often'),
  ]),
  at('limits.mcpMessageBytes', 'a longer message of an agent is refused, of a server dropped', [
    ...of(LIMITS, 'mcpMessageBytes: a message of it passes, a longer one is refused, from the server it is dropped'),
  ]),
  at('limits.mcpQueueBytes', 'who does not read is waited for, and nothing is lost', [
    ...of(
      LIMITS,
      'mcpQueueBytes: a server that leaves more unread is sent no more calls',
      'mcpQueueBytes: a server whose agent does not read waits, and nothing is lost',
      'mcpQueueBytes: an agent that does not read its answers is not listened to, until it reads',
    ),
  ]),
  at('limits.mcpCalls', 'one more call is refused', [...of(LIMITS, 'mcpCalls: as many run, one more is refused')]),
  at('limits.mcpConnections', 'one more connection is closed', [
    ...of(LIMITS, 'mcpConnections: as many agents connect, one more is turned away'),
  ]),
  at('limits.mcpStderrTailBytes', 'what was printed before is forgotten', [
    ...of(LIMITS, 'mcpStderrTailBytes: what a server printed last is kept up to it, over its restarts'),
  ]),
  at('limits.mcpRestarts', 'a server that keeps ending has failed, and its calls say so', [
    ...of(LIMITS, 'mcpRestarts: a server that ends as often right after its start has failed, and says so'),
  ]),
  at('timeouts.mcpAdmitMs', 'the agent opens with empty lists, and is told when there is more', [
    ...of(LIMITS, 'mcpAdmitMs: an agent waits so long for its server, and then opens with empty lists'),
  ]),
  at('timeouts.mcpStartMs', 'a server that does not answer is ended and started again', [
    ...of(LIMITS, 'mcpStartMs: a server that does not answer its opening so long is ended and started again'),
  ]),
  at('timeouts.mcpProbeMs', 'a silent server is asked as the other versions do, beside', [
    ...of(
      LIMITS,
      'mcpProbeMs: a server that is silent so long is asked in the words of the other era, and may still answer the first',
    ),
  ]),
  at('timeouts.mcpRootsMs', 'a server gets the roots that are approved by then', [
    ...of(LIMITS, 'mcpRootsMs: a server that asks for its roots gets what is approved when the time is up'),
  ]),
  at('timeouts.mcpCallMs', 'a call about which the server is silent has failed', [
    ...of(LIMITS, 'mcpCallMs: a call about which the server is silent so long has failed, and the server is told'),
  ]),
  at('timeouts.mcpBackoffMs', 'pauses between starts grow up to it', [
    ...of(
      LIMITS,
      'mcpBackoffMs: the pauses between starts double up to it, and a server that ran as long is started at once',
    ),
  ]),
];

function at(id: string, promise: string, tests: readonly TestReference[]): Requirement {
  return { id, promise, source: 'docs/configuration.md', tests };
}
