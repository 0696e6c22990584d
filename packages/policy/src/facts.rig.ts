import type { CallToolFacts, ExposeRootFacts, RootFacts, ServerFacts } from './policy-facts.ts';

/** A local, confined server that a person approved. */
export const server: ServerFacts = {
  name: 'files',
  fingerprint: 'sha256:5f2b',
  transport: 'stdio',
  origin: 'client',
  local: true,
  sandboxed: true,
  known: true,
  trusted: false,
};

/** The project itself. */
export const root: RootFacts = {
  label: 'root-1',
  kind: 'directory',
  depth: 3,
  inProject: true,
  highRisk: false,
  risks: ['ordinary'],
};

export const circumstances = {
  user: { id: 'me', administrator: false },
  agent: 'codex',
  session: { id: 'session-1', enforced: true },
} as const;

export const exposeRoot: ExposeRootFacts = {
  kind: 'expose_root',
  server,
  root,
  access: 'rw',
  initiator: 'reeve',
  ...circumstances,
};

export const callTool: CallToolFacts = {
  kind: 'call_tool',
  server,
  tool: { name: 'write_file', readOnly: false, destructive: true, openWorld: false },
  staleRoots: false,
  ...circumstances,
};
