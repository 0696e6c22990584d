import { isAbsolute, join, resolve } from 'node:path';
import type { ParsedConfig, ParsedMcpServer } from './schema.ts';

type Settings = Omit<ParsedConfig, '$schema'>;
type Servers = Readonly<Record<string, ParsedMcpServer>>;

/**
 * The same settings with whole paths: `~` is `home`, and what is relative begins at `base` of its setting. Programs that are names
 * stay names.
 */
export function withAbsolutePaths(settings: Settings, base: (setting: string) => string, home: string): Settings {
  const absolute = (path: string, from: string): string => {
    if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
    return isAbsolute(path) ? path : resolve(from, path);
  };
  const program = (command: string, from: string): string =>
    /^(~|\.\.?)\//.test(command) ? absolute(command, from) : command;
  const servers = (entries: Servers, from: string): Servers =>
    mapped(entries, (entry) =>
      entry.command === undefined ? entry : { ...entry, command: program(entry.command, from) },
    );
  const tls = settings.tls && {
    certFile: absolute(settings.tls.certFile, base('tls')),
    keyFile: absolute(settings.tls.keyFile, base('tls')),
  };
  return {
    ...settings,
    dataDir: absolute(settings.dataDir, base('dataDir')),
    ...(tls ? { tls } : {}),
    agents: mapped(settings.agents, ({ type: _, ...agent }) => ({
      ...agent,
      command: program(agent.command, base('agents')),
    })),
    workspaces: mapped(settings.workspaces, (workspace) => ({
      ...workspace,
      roots: workspace.roots.map((root) => ({ ...root, path: absolute(root.path, base('workspaces')) })),
      mcpServers: servers(workspace.mcpServers, base('workspaces')),
    })),
    mcpServers: servers(settings.mcpServers, base('mcpServers')),
    policy: { ...settings.policy, files: settings.policy.files.map((file) => absolute(file, base('policy'))) },
  };
}

function mapped<A, B>(all: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));
}
