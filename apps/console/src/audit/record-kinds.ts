/** What each kind of record tells (docs/audit.md), by the part of the server that it is about. */
export const RECORD_KINDS: readonly (readonly [
  group: string,
  kinds: readonly (readonly [kind: string, words: string])[],
])[] = [
  [
    'Requests',
    [
      ['request.asked', 'asked'],
      ['request.answered', 'answered'],
      ['request.timed_out', 'nobody answered in time'],
      ['request.ended', 'ended without an answer'],
    ],
  ],
  [
    'Sessions and agents',
    [
      ['session.created', 'session created'],
      ['session.forked', 'session forked'],
      ['session.ended', 'session ended'],
      ['agent.started', 'agent started'],
      ['agent.exited', 'agent process ended'],
      ['agent.refused', 'agent not started'],
      ['fs.refused', 'file refused'],
      ['terminal.refused', 'command refused'],
      ['egress.denied', 'connection refused'],
    ],
  ],
  [
    'MCP servers',
    [
      ['mcp.admitted', 'server admitted'],
      ['mcp.refused', 'server refused'],
      ['mcp.withdrawn', 'server withdrawn'],
      ['mcp.approved', 'server approved'],
      ['mcp.denied', 'server denied'],
      ['mcp.forgotten', 'decision forgotten'],
      ['mcp.expired', 'approval expired'],
      ['mcp.confined', 'server confined'],
      ['mcp.called', 'call'],
    ],
  ],
  [
    'Boundaries and roots',
    [
      ['boundary.alarm', 'alarm'],
      ['boundary.set', 'boundary set'],
      ['boundary.changed', 'boundary changed'],
      ['boundary.revised', 'scope of a server changed'],
      ['boundary.refused', 'boundary refused'],
      ['boundary.verified', 'looked from inside'],
      ['roots.exposed', 'roots shown'],
      ['root.lost', 'root lost'],
      ['root.back', 'root back'],
      ['grant.given', 'root given'],
      ['grant.denied', 'root denied'],
      ['grant.revoked', 'root taken back'],
      ['grant.expired', 'root expired'],
    ],
  ],
  [
    'Policies, the log, the server',
    [
      ['policy.loaded', 'policies loaded'],
      ['policy.decided', 'policies decided'],
      ['audit.path_revealed', 'path revealed'],
      ['audit.reveal_refused', 'path not revealed'],
      ['audit.key_rotated', 'key rotated'],
      ['audit.key_replaced', 'key replaced'],
      ['server.started', 'server started'],
      ['server.stopped', 'server stopped'],
    ],
  ],
];

const WORDS: ReadonlyMap<string, string> = new Map(RECORD_KINDS.flatMap(([, kinds]) => kinds));

/** A kind in words; one that is not known as it is. */
export function recordWords(kind: string): string {
  return WORDS.get(kind) ?? kind;
}
