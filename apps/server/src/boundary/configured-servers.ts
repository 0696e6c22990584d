import type { BoundaryNetwork } from '@reeve/protocol';
import type { DeclaredServer, ServerTransport } from './declared-server.ts';
import { type NamedServers, type ServerFileLimits, workspaceServers } from './workspace-servers.ts';

/** A server as the configuration has it: it was checked there that it has a command or else a URL. */
export interface ConfiguredServer {
  readonly type?: 'stdio' | 'http' | 'sse' | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly passEnv?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly trusted: boolean;
  readonly network?: BoundaryNetwork | undefined;
}

type ByName = Readonly<Record<string, ConfiguredServer>>;

export interface ConfiguredServersOptions {
  /** Of every session. */
  readonly mcpServers: ByName;
  readonly workspaces: { readonly [name: string]: { readonly mcpServers: ByName } };
  /** Whether files of a directory may propose servers. */
  readonly workspaceServers: 'propose' | 'ignore';
  readonly limits: ServerFileLimits;
  /** The environment that `passEnv` names variables of. */
  readonly env: { readonly [name: string]: string | undefined };
}

export interface ServersWanted {
  /** Name of a workspace of the configuration, where the session is in one. */
  readonly workspace?: string | undefined;
  /** Where files are looked for: `cwd` and what encloses it. In order. */
  readonly directories: readonly string[];
}

/**
 * The servers of a session that no client named: those of its workspace, then those of every session, then those that files propose.
 * The first of a name counts. Never rejects.
 */
export type ConfiguredServers = (wanted: ServersWanted) => Promise<NamedServers>;

export function createConfiguredServers(options: ConfiguredServersOptions): ConfiguredServers {
  const { workspaces, mcpServers, limits, env } = options;
  return async ({ workspace, directories }) => {
    const own = workspace !== undefined && Object.hasOwn(workspaces, workspace) ? workspaces[workspace] : undefined;
    const entries = Object.entries({ ...mcpServers, ...own?.mcpServers });
    const servers = new Map(entries.map(([name, entry]) => [name, declared(name, entry, env)]));
    const problems: string[] = [];
    if (options.workspaceServers === 'ignore') return { servers: [...servers.values()], problems };
    for (const directory of new Set(directories)) {
      const proposed = await workspaceServers(directory, limits);
      problems.push(...proposed.problems);
      for (const server of proposed.servers) {
        const first = servers.get(server.name);
        if (first === undefined) servers.set(server.name, server);
        else if (first.origin === 'configuration') {
          const name = JSON.stringify(server.name);
          problems.push(
            `the server ${name} of the workspace is left out: the configuration of Reeve has one of that name`,
          );
        }
      }
    }
    return { servers: [...servers.values()], problems };
  };
}

function declared(name: string, entry: ConfiguredServer, env: ConfiguredServersOptions['env']): DeclaredServer {
  return {
    name,
    origin: 'configuration',
    transport: transportOf(entry, env),
    trusted: entry.trusted,
    ...(entry.network === undefined ? {} : { network: entry.network }),
  };
}

function transportOf(entry: ConfiguredServer, env: ConfiguredServersOptions['env']): ServerTransport {
  const { type, command, url, args = [], passEnv = [], headers = {} } = entry;
  if (url !== undefined) return { kind: type === 'sse' ? 'sse' : 'http', url, headers };
  const passed = passEnv.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { kind: 'stdio', command: command ?? '', args, env: { ...Object.fromEntries(passed), ...entry.env } };
}
