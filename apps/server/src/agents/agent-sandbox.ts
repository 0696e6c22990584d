import { existsSync } from 'node:fs';
import { ReeveError, type SessionBoundary } from '@reeve/protocol';
import type { ApprovedPlace, Enforcement, NetworkRule, Profile, SandboxSocket } from '@reeve/sandbox';
import { insideCommand, type ProgramSite, programPaths } from '@reeve/sandbox';
import type { AgentEntry } from './agent-registry.ts';
import { sandboxEnvironment } from './agent-sandbox-environment.ts';
import { innermost, isWithin, openAgentHome } from './agent-sandbox-home.ts';
import { agentNetwork } from './agent-sandbox-network.ts';
import { type AgentSandboxRules, PLAIN_RULES } from './agent-sandbox-rules.ts';

/** Where an agent process is to work. Paths are canonical. */
export interface AgentPlace {
  readonly cwd: string;
  /** What it may reach; without one it is shown no directory but its HOME. */
  readonly boundary?: SessionBoundary;
  /** What each root of it was when it was approved, by path; whatever is there counts for those that are not named. */
  readonly approved?: ReadonlyMap<string, ApprovedPlace>;
  /** The operator lets this place be only declared, whatever holds for the agent elsewhere. */
  readonly mayDeclare?: boolean;
  /** By which it reaches the MCP servers of its session. */
  readonly endpoints?: AgentEndpoints;
  /** Files in its roots that are shown empty: they would have it start MCP servers past Reeve. */
  readonly masked?: readonly string[];
}

/** What the sandbox of an agent must let it see and reach beside its roots. */
export interface AgentEndpoints {
  readonly sockets: readonly SandboxSocket[];
  readonly readOnly: readonly string[];
  /** On the loopback of this machine: `127.0.0.1:PORT`. */
  readonly hosts: readonly string[];
}

/** How an agent process is to be started. */
export interface AgentConfinement {
  /** Absent where the configuration switches the sandbox off. */
  readonly profile?: Profile;
  readonly require: 'enforced' | 'declared';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: NetworkRule;
  /** What is weaker than it looks, beside what the sandbox says itself. */
  readonly gaps: readonly string[];
}

/** Of the machine beside the roots, for people. */
export interface ShownPaths {
  /** Where its HOME is on this machine. */
  readonly home: string;
  readonly readOnly: readonly string[];
  readonly state: readonly string[];
}

/** What confines an agent process: a fact about it, with the gaps of the sandbox and those of the agent. */
export interface AgentEnforcement extends Enforcement {
  /** Absent where nothing confines it. */
  readonly shown?: ShownPaths;
}

/** Plans what holds agent processes. */
export interface AgentSandbox {
  /** Where an agent runs that serves no session. */
  anteroom(entry: AgentEntry): AgentPlace;
  /** Throws a ReeveError where the place cannot be had: `invalid_params`, `forbidden`, `agent_start_failed` with `reason: "no-sandbox"`. */
  confine(entry: AgentEntry, place: AgentPlace): Promise<AgentConfinement>;
  /** What `confine` would come to, as far as that can be told without making anything. Throws what it would. */
  foresee(entry: AgentEntry, place: AgentPlace): Pick<AgentConfinement, 'require' | 'network' | 'gaps'>;
}

export interface AgentSandboxOptions {
  readonly dataDir: string;
  /** Canonical paths that are shown to nobody, also where a root holds them. */
  readonly hidden: readonly string[];
  /** HOME of the server's user. */
  readonly home: string;
  /** Off: agents run as the server does, and only where that is allowed. */
  readonly enabled: boolean;
}

/** Variables that name files which a program reads, or runs, before anything else. */
const FILE_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'CLAUDE_CODE_EXECUTABLE',
  'OPENCODE_CONFIG',
];

export function createAgentSandbox(options: AgentSandboxOptions): AgentSandbox {
  return {
    anteroom: ({ env }) => ({ cwd: options.enabled ? (env.HOME ?? options.home) : options.home }),
    async confine(entry, place) {
      const rules = entry.sandbox ?? PLAIN_RULES;
      const require = requirement(entry.name, rules, place);
      if (options.enabled) return confined(options, entry, place, rules, require);
      if (require === 'enforced') throw switchedOff(entry.name);
      const { command, args, env } = entry;
      return { require, command, args, env, network: 'full', gaps: [] };
    },
    foresee({ name, env, sandbox: rules = PLAIN_RULES }, place) {
      const require = requirement(name, rules, place);
      if (!options.enabled && require === 'enforced') throw switchedOff(name);
      if (!options.enabled) return { require, network: 'full', gaps: [] };
      const { roots = [], network: wish } = place.boundary ?? {};
      const { rule, gaps } = agentNetwork({ agent: name, rules, env, wish, endpoints: [] });
      const kept = rules.state.filter((path) => innermost(roots, path)?.access !== 'rw' && existsSync(path));
      return { require, network: rule, gaps: [...gaps, ...stateGaps(kept.map((path) => ({ path }))), ...rules.gaps] };
    },
  };
}

/** What holds a process, as it is told: what the sandbox says, what the agent leaves open, and what it was shown. */
export function agentEnforcement(process: Enforcement, { profile, gaps }: AgentConfinement): AgentEnforcement {
  if (profile === undefined || process.backend === 'none') return process;
  const { home, readOnly, state } = profile;
  return {
    ...process,
    gaps: [...process.gaps, ...gaps],
    shown: { home: home.directory ?? home.path, readOnly, state: state.map(({ path }) => path) },
  };
}

async function confined(
  { dataDir, hidden, home: userHome }: AgentSandboxOptions,
  { name, command, args, env }: AgentEntry,
  { cwd, boundary, approved, endpoints, masked = [] }: AgentPlace,
  rules: AgentSandboxRules,
  require: AgentConfinement['require'],
): Promise<AgentConfinement> {
  const { roots = [], network: wish } = boundary ?? {};
  const home = env.HOME ?? userHome;
  const network = agentNetwork({ agent: name, rules, env, wish, endpoints: endpoints?.hosts ?? [] });
  const own = await openAgentHome({ dataDir, agent: name, cwd, home, state: rules.state, roots });
  const site: ProgramSite = { path: env.PATH, cwd, closed: [userHome, home, dataDir] };
  const programs = [
    ...programPaths(command, args, site),
    ...FILE_VARIABLES.flatMap((variable) => filePaths(env[variable], site)),
    ...(endpoints?.readOnly ?? []),
  ];
  const granted = (path: string): boolean => innermost(roots, path) !== undefined;
  const writable = (path: string): boolean => innermost(roots, path)?.access === 'rw';
  const readOnly = [
    ...programs.filter((path) => !granted(path)),
    ...[...rules.readOnly, ...rules.settings.filter((path) => !writable(path))].filter((path) => existsSync(path)),
  ];
  return {
    require,
    ...insideCommand(command, args, site),
    profile: {
      roots: roots.map(({ name: _, ...root }) => {
        const known = approved?.get(root.path);
        return known === undefined ? root : { ...root, approved: known };
      }),
      masked: [...hidden.filter((path) => granted(path)), ...masked],
      readOnly: outermost(readOnly),
      home: own.home,
      state: own.state,
      files: rules.files.filter(({ path }) => !granted(path)),
      sockets: endpoints?.sockets ?? [],
      network: network.rule,
      limits: rules.limits,
      nestedSandbox: rules.nestedSandbox,
    },
    env: sandboxEnvironment(env, { home, roots, state: own.state.map(({ path }) => path) }),
    network: network.rule,
    gaps: [...network.gaps, ...stateGaps(own.state), ...rules.gaps],
  };
}

function requirement(
  agent: string,
  rules: AgentSandboxRules,
  { boundary, mayDeclare = false }: AgentPlace,
): AgentConfinement['require'] {
  const wanted = boundary?.require ?? rules.require;
  if (wanted === 'enforced' || rules.require === 'declared' || mayDeclare) return wanted;
  throw new ReeveError('forbidden', {
    message: `a boundary that is only declared is not allowed for agent "${agent}": leave "require" out, or have the operator set "sandbox.require" to "declared"`,
    data: { agent, reason: 'require' },
  });
}

function switchedOff(agent: string): ReeveError {
  return new ReeveError('agent_start_failed', {
    message: `agent "${agent}" was not started: its boundary must be enforced, and "sandbox.backend" is "none". Set that to "auto", or "sandbox.require" to "declared".`,
    next: 'Have the operator set "sandbox.backend" to "auto" and start the server again.',
    data: { agent, reason: 'no-sandbox' },
  });
}

/** Without paths that are seen in another one anyway: a link among them could not be mounted over. */
function outermost(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
}

function filePaths(path: string | undefined, site: ProgramSite): readonly string[] {
  if (path === undefined || !path.startsWith('/') || !existsSync(path)) return [];
  return [path, ...programPaths(path, [], site)];
}

function stateGaps(state: readonly { readonly path: string }[]): readonly string[] {
  if (state.length === 0) return [];
  return [
    `state: the agent reads and writes what it keeps on this machine: ${state.map(({ path }) => path).join(', ')}`,
  ];
}
