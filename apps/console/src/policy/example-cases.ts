const CIRCUMSTANCES = {
  user: { id: 'me', administrator: false },
  agent: 'codex',
  session: { id: 'a-session', enforced: true },
};

const SERVER = {
  name: 'files',
  fingerprint: 'sha256:5f2b',
  transport: 'stdio',
  origin: 'client',
  local: true,
  sandboxed: true,
  known: false,
  trusted: false,
};

const ROOT = {
  label: 'notes',
  kind: 'directory',
  depth: 3,
  inProject: false,
  highRisk: false,
  risks: ['outside_project'],
};

const TOOL = { name: 'delete_file', readOnly: false, destructive: true, openWorld: false };

/** Cases to begin with: one of each question that policies are asked most (docs/policy.md, the schema). */
export const EXAMPLE_CASES: readonly { readonly name: string; readonly facts: object }[] = [
  { name: 'A server starts', facts: { kind: 'start_server', server: SERVER, ...CIRCUMSTANCES } },
  {
    name: 'A root is shown',
    facts: { kind: 'expose_root', server: SERVER, root: ROOT, access: 'ro', initiator: 'server', ...CIRCUMSTANCES },
  },
  {
    name: 'A tool is called',
    facts: { kind: 'call_tool', server: { ...SERVER, known: true }, tool: TOOL, staleRoots: false, ...CIRCUMSTANCES },
  },
];
