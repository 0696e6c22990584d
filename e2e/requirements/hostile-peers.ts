import { of, type Requirement } from './requirement.ts';

/** Agents and MCP servers that mean harm. */
export const hostilePeers: readonly Requirement[] = [
  {
    id: 'HOSTILE-1',
    promise: 'what an agent says of roots reaches no server, asked for or not, in either era',
    source: 'boundary 1; issue: The boundary (the agent is never asked for roots)',
    tests: of(
      'apps/server/src/mcp/hostile-agent.test.ts',
      'is not believed, in the new era',
      'is not believed, in the old era',
    ),
  },
  {
    id: 'HOSTILE-2',
    promise: 'no message passes that a server may read as another one than was looked at',
    source: 'boundary 4; threat-model: Who acts',
    tests: [
      ...of(
        'apps/server/src/mcp/hostile-agent.test.ts',
        'does not reach the server: %s',
        'is nothing that a plain one is taken for',
      ),
      ...of(
        'packages/protocol/src/ambiguous-member.test.ts',
        'is found in %s',
        'is not in %s',
        'is in nothing that was written by JSON.stringify without keys that differ in case alone',
        'is looked for however deep a text is nested',
      ),
    ],
  },
  {
    id: 'HOSTILE-3',
    promise:
      'no environment, header or URL secret of a server is written or told, also of one that tells everybody; no path or argument is in audit, log or alarm',
    source: 'issue: The boundary (Audit); design: Rules that hold everywhere',
    tests: [
      ...of(
        'e2e/mcp-secrets.test.ts',
        'keeps the secrets of servers that tell everybody, and of a session what is its own',
      ),
      ...of(
        'apps/server/src/mcp/wire/hide-own-secrets.test.ts',
        'is told without the values of its environment, plain or within JSON, and without a word less',
        'is told without headers, user part, query and fragment',
      ),
    ],
  },
  {
    id: 'HOSTILE-4',
    promise:
      'an MCP server that forges answers, floods, storms, answers without measure, hangs at its end or sends elsewhere harms nothing but its own calls',
    source: 'issue: The boundary (what it must show); threat-model: Who acts',
    tests: [
      ...of(
        'apps/server/src/mcp/hostile-server.test.ts',
        'answers what nobody asked, and what others asked, to nobody',
        'cannot keep an agent waiting by an answer that is too long: %s',
        'cannot keep an agent waiting by an answer that is too deep',
        'refuses with a long text, of which no more is told than a person reads',
        'is ended with its session, whatever it does about it',
        'storms with changes and questions without holding up another one',
        'sends no request, and no header, elsewhere',
      ),
      ...of(
        'packages/sandbox/src/line-splitter.test.ts',
        'tells what a dropped line begins and ends with, however the bytes are cut',
      ),
    ],
  },
  {
    id: 'HOSTILE-5',
    promise: 'changes of a boundary that race each other and prompts end no session, and no prompt that waits is lost',
    source: 'protocol: set_boundary; issue: The boundary (with calls racing)',
    tests: of(
      'apps/server/src/sessions/idle-watch.test.ts',
      'does not let a session go that somebody works on without a client or a turn, and does once the last is done',
    ),
  },
];
