import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { withServerOptions } from '../server-options.ts';
import { table, WHOLE } from '../terminal.ts';

interface ListOptions extends ServerOptions {
  readonly json?: boolean;
}

/** Boundaries with a name. */
export function workspacesCommand({ terminal }: CommandContext): Command {
  const workspaces = new Command('workspaces').description('see the workspaces of the configuration');

  withServerOptions(workspaces.command('ls'))
    .description('list them, with their roots and MCP servers')
    .option('--json', 'one JSON object a line')
    .action(async (options: ListOptions) => {
      const found = await (await needServer(options)).workspaces.list();
      if (options.json) for (const workspace of found) terminal.json(workspace);
      else if (found.length === 0) terminal.note('no workspaces: write them under "workspaces" of the configuration');
      else {
        const rows = found.flatMap(({ name, roots, mcpServers }) =>
          roots.map(({ path, access }, index) => [
            index === 0 ? name : '',
            access,
            path,
            index === 0 ? mcpServers.join(' ') : '',
          ]),
        );
        terminal.line(table(['WORKSPACE', 'ACCESS', 'ROOT', 'MCP SERVERS'], rows, WHOLE));
      }
    });

  return workspaces;
}
