import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { withAbsolutePaths } from './config/absolute-paths.ts';
import type { Environment } from './config/agent-environment.ts';
import { checkTogether } from './config/check-together.ts';
import { type ConfigFile, parseConfigFile } from './config/config-file.ts';
import { explainIssue, type Said } from './config/explain-issue.ts';
import type { Config } from './config/frozen-config.ts';
import { agentsOnPath, withKnownPackage } from './config/known-agents.ts';
import type { ConfigProblem, Origin } from './config/problem.ts';
import { configSchema } from './config/schema.ts';

export { agentEnvironment, type Environment } from './config/agent-environment.ts';
export { agentSandboxSettings } from './config/agent-sandbox-config.ts';
export { containerEngine } from './config/container-engine.ts';
export type { AgentEntry, Config, McpServerEntry } from './config/frozen-config.ts';
export { knownAgents } from './config/known-agents.ts';
export { nearestName } from './config/nearest-name.ts';
export { type ConfigProblem, describeProblem, type Origin } from './config/problem.ts';
export { type ShownConfig, showConfig } from './config/show-config.ts';

/** What the command line may say; it wins over the environment, and that over the file. */
export interface ConfigFlags {
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly dataDir?: string | undefined;
  readonly auth?: 'token' | 'none' | undefined;
  readonly logLevel?: string | undefined;
}

export interface ConfigSources {
  /** The file that was asked for: it must exist. Without it `REEVE_CONFIG`, else `$XDG_CONFIG_HOME/reeve/config.jsonc` if that exists. */
  readonly file?: string | undefined;
  readonly flags: ConfigFlags;
  readonly env: Environment;
}

export type ConfigResult =
  | {
      readonly kind: 'ok';
      readonly config: Config;
      /** By path of each setting (`limits.maxLineBytes`; an agent counts as one: `agents.claude`). */
      readonly origins: Readonly<Record<string, Origin>>;
      /** The file that was read, if any. */
      readonly file: string | undefined;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/** Names of our own variables, by the setting that each one gives. */
const VARIABLES = {
  host: 'REEVE_HOST',
  port: 'REEVE_PORT',
  dataDir: 'REEVE_DATA_DIR',
  logLevel: 'REEVE_LOG_LEVEL',
} as const;
const FLAGS = {
  host: '--host',
  port: '--port',
  dataDir: '--data',
  auth: '--no-auth',
  logLevel: '--log-level',
} as const;

type Layer = { readonly [key: string]: unknown };

/** The environment of this process: nobody else in the server reads it. */
export function ownEnvironment(): Environment {
  return process.env;
}

/** Reads file, environment and flags. Reads the file system, throws nothing, writes nothing. */
export function loadConfig(sources: ConfigSources): ConfigResult {
  const { env, flags } = sources;
  const opened = openFile(sources);
  if (opened.kind === 'broken') return { kind: 'invalid', problems: opened.problems };
  const file = opened.kind === 'read' ? opened : undefined;

  const fromFile = settled(file);
  if (fromFile.kind === 'invalid') return fromFile;
  const fromEnv = layer({
    host: env[VARIABLES.host],
    port: env[VARIABLES.port],
    dataDir: env[VARIABLES.dataDir],
    logLevel: env[VARIABLES.logLevel],
  });
  const fromFlags = layer(flags);
  const raw: Layer = { dataDir: defaultDataDir(env), ...fromFile.value, ...fromEnv, ...fromFlags };

  const said = (path: readonly PropertyKey[], key?: string): Said => {
    const top = String(path[0] ?? key);
    const setting = top === 'log' ? 'logLevel' : top;
    if (Object.hasOwn(fromFlags, top)) return { source: FLAGS[setting as keyof typeof FLAGS] };
    if (Object.hasOwn(fromEnv, top)) return { source: VARIABLES[setting as keyof typeof VARIABLES] };
    if (!file) return { source: 'configuration' };
    return { source: file.file, ...file.locate(fromFile.written(path), key) };
  };

  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    return { kind: 'invalid', problems: parsed.error.issues.flatMap((issue) => explainIssue(issue, raw, said)) };
  }
  const { $schema: _, ...settings } = parsed.data;
  const found = agentsOnPath(env.PATH);
  const named = Object.entries(settings.agents).map(([name, agent]) => [name, withKnownPackage(name, agent)] as const);
  const agents = { ...Object.fromEntries(named), ...without(found, settings.agents) };
  const first = Object.keys(agents)[0];
  const whole = {
    ...settings,
    ...(settings.defaultAgent === undefined && first ? { defaultAgent: first } : {}),
    agents,
  };
  const problems = checkTogether(whole, said);
  if (problems.length > 0) return { kind: 'invalid', problems };

  const base = (path: string): string =>
    path in fromFlags || path in fromEnv || !file ? process.cwd() : dirname(file.file);
  const config = deepFreeze(withAbsolutePaths(whole, base, homeOf(env)));
  return { kind: 'ok', config, origins: originsOf(config, fromFile.value, fromEnv, fromFlags), file: file?.file };
}

type Settled =
  | { readonly kind: 'ok'; readonly value: Layer; written(path: readonly PropertyKey[]): readonly PropertyKey[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/** The file's value with `agent_servers`, Zed's name of the key, as `agents`. */
function settled(file: Extract<ConfigFile, { kind: 'read' }> | undefined): Settled {
  const value = file?.value ?? {};
  if (!('agent_servers' in value)) return { kind: 'ok', value, written: (path) => path };
  if (file && 'agents' in value) {
    const problem = {
      path: 'agent_servers',
      source: file.file,
      ...file.locate([], 'agent_servers'),
      expected: 'either "agents" or "agent_servers", which mean the same',
      came: 'both',
      mend: 'Move all entries under "agents".',
    };
    return { kind: 'invalid', problems: [problem] };
  }
  const { agent_servers: agents, ...rest } = value;
  return {
    kind: 'ok',
    value: { ...rest, agents },
    written: (path) => (path[0] === 'agents' ? ['agent_servers', ...path.slice(1)] : path),
  };
}

function openFile({ file, env }: ConfigSources): ConfigFile | { readonly kind: 'none' } {
  const asked = file ?? (env.REEVE_CONFIG || undefined);
  const path = resolve(asked ?? join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'reeve', 'config.jsonc'));
  try {
    return parseConfigFile(path, readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (!asked && (code === 'ENOENT' || code === 'ENOTDIR')) return { kind: 'none' };
    const mend =
      code === 'ENOENT'
        ? 'Check the path, or leave it out for the defaults.'
        : 'Make it a file that this user may read.';
    return { kind: 'broken', problems: [{ path: '', source: path, expected: 'a readable file', came: code, mend }] };
  }
}

/** Flags or variables in the form of the file; numbers come as text from both. */
function layer({ host, port, dataDir, auth, logLevel }: ConfigFlags): Layer {
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port: typeof port === 'string' && /^\d+$/.test(port) ? Number(port) : port }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(auth === undefined ? {} : { auth }),
    ...(logLevel === undefined ? {} : { log: { level: logLevel } }),
  };
}

function defaultDataDir(env: Environment): string {
  return join(env.XDG_DATA_HOME || join(homeOf(env), '.local', 'share'), 'reeve');
}

function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

/** Settings whose members are told one by one. */
const GROUPS = new Set([
  'limits',
  'timeouts',
  'audit',
  'log',
  'agents',
  'workspaces',
  'mcpServers',
  'policy',
  'alarms',
]);

function originsOf(config: Config, file: Layer, env: Layer, flags: Layer): Record<string, Origin> {
  const origins: Record<string, Origin> = {};
  const has = (from: unknown, key: string): boolean =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, key);
  for (const [key, value] of Object.entries(config)) {
    for (const leaf of GROUPS.has(key) ? Object.keys(value as object) : [undefined]) {
      const said = (from: Layer): boolean => (leaf === undefined ? has(from, key) : has(from[key], leaf));
      const origin = said(flags) ? 'flag' : said(env) ? 'env' : said(file) ? 'file' : 'default';
      origins[leaf === undefined ? key : `${key}.${leaf}`] = origin;
    }
  }
  return origins;
}

function without<T>(all: Record<string, T>, taken: object): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(taken, name)));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
