/** Attributes of the schema that hold one of a few words: Cedar has them as String, and policies are checked against these. */
export const POLICY_WORDS = {
  access: ['ro', 'rw'],
  initiator: ['reeve', 'server', 'person'],
  origin: ['configuration', 'client', 'workspace', 'agent'],
  risks: [
    'home_directory',
    'parent_of_home',
    'system_directory',
    'cloud_sync_folder',
    'credential_store',
    'other_repository',
    'outside_project',
    'hard_links',
    'ordinary',
  ],
  transport: ['stdio', 'http', 'sse'],
} as const;

/**
 * The vocabulary of policies (Cedar schema): who acts, on what, and the facts that a host computed. No attribute holds a path. A name
 * that is not here is an error of the policy, found before it is used. Plain strings and records, since references to entities cost
 * Cedar ten times as much.
 */
export const POLICY_SCHEMA = `// A person: who owns the session, or who grants or reveals.
entity User { administrator: Bool };

// An entry of the agent registry, by its name.
entity Agent;

// One conversation. enforced: the operating system holds its boundary.
entity Session { enforced: Bool };

// An MCP server, by its fingerprint: command, arguments and file digest, or the origin of its URL.
entity Server {
  name: String,
  // "stdio", "http" or "sse"
  transport: String,
  // Who named it: "configuration", "client", "workspace" (a file in it), "agent"
  origin: String,
  // It runs on this machine, started by Reeve.
  local: Bool,
  // The operating system confines it to its roots.
  sandboxed: Bool,
  // A person approved this very fingerprint.
  known: Bool,
  // What it says about its tools is believed.
  trusted: Bool,
};

// A directory or a file, by its label.
entity Root {
  file: Bool,
  // Names from / to it: /home/me has 2.
  depth: Long,
  // It is the project of the session, or lies in it.
  inProject: Bool,
  // "home_directory", "parent_of_home", "system_directory", "cloud_sync_folder", "credential_store" (these are high),
  // "other_repository", "outside_project", "hard_links", or "ordinary" alone
  risks: Set<String>,
  highRisk: Bool,
  // The repository that it lies in, such as github.com/acme/app.
  repository?: String,
};

// What every action is told besides.
type Circumstances = {
  // A person said yes to this, or an administrator did.
  approved: Bool,
  approvedByAdministrator: Bool,
  user: { id: String, administrator: Bool },
  agent: String,
  session: { id: String, enforced: Bool },
};

// A server is told of a root, and may use it.
action expose_root appliesTo {
  principal: Server,
  resource: Root,
  context: {
    approved: Bool, approvedByAdministrator: Bool,
    user: { id: String, administrator: Bool }, agent: String, session: { id: String, enforced: Bool },
    // "ro" or "rw"
    access: String,
    // Who asks: "reeve", to show the session's roots, "server", for one of its own choice, or "person"
    initiator: String,
  },
};

// A server is started, or connected to, for a session.
action start_server appliesTo { principal: Session, resource: Server, context: Circumstances };

// An agent calls a tool of a server.
action call_tool appliesTo {
  principal: Agent,
  resource: Server,
  context: {
    approved: Bool, approvedByAdministrator: Bool,
    user: { id: String, administrator: Bool }, agent: String, session: { id: String, enforced: Bool },
    // What the server says of the tool.
    tool: { name: String, readOnly: Bool, destructive: Bool, openWorld: Bool },
    // The server has not asked for its roots since they changed.
    staleRoots: Bool,
  },
};

// A person gives a root to a server.
action grant appliesTo {
  principal: User,
  resource: Root,
  context: {
    approved: Bool, approvedByAdministrator: Bool,
    user: { id: String, administrator: Bool }, agent: String, session: { id: String, enforced: Bool },
    access: String,
    server: { name: String, fingerprint: String, transport: String, origin: String,
      local: Bool, sandboxed: Bool, known: Bool, trusted: Bool },
  },
};

// A person has the paths of a session's audit records shown.
action reveal_path appliesTo { principal: User, resource: Session, context: Circumstances };
`;
