import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { describePreview } from '../describe-preview.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { readMcpServer } from '../mcp-server-option.ts';
import { readRoot } from '../root-words.ts';
import { withServerOptions } from '../server-options.ts';

interface PreviewOptions extends ServerOptions {
  readonly agent?: string;
  readonly workspace?: string;
  readonly mcpServer: readonly string[];
  readonly json?: boolean;
}

/** `roots preview`: what a session could reach, before there is one. */
export function addPreview(roots: Command, { terminal }: CommandContext): void {
  withServerOptions(roots.command('preview'))
    .description('tell what a session in these directories could reach, and what would be asked; starts nothing')
    .argument('[path...]', 'PATH, PATH:ro or PATH:rw; read and write unless told; the first is where work happens')
    .option('--agent <name>', 'the agent; the default one unless told')
    .option('--workspace <name>', 'of the configuration, in place of paths')
    .option('--mcp-server <server>', 'NAME=COMMAND ARG… or NAME=URL; may be given again', collect, [])
    .option('--json', 'print it as JSON')
    .action(async (paths: readonly string[], { agent, workspace, mcpServer, json, ...options }: PreviewOptions) => {
      if ((paths.length === 0) === (workspace === undefined)) {
        throw new CliError('usage', 'name directories, or else a workspace', 'reeve workspaces ls lists those.');
      }
      const reeve = await needServer(options);
      const typed = paths.map((text) => readRoot(text)).map(({ path, access = 'rw' }) => ({ path, access }));
      const named = workspace === undefined ? undefined : await reeve.workspaces.show(workspace);
      const preview = await reeve.boundaries.preview({
        ...(agent === undefined ? {} : { agent }),
        cwd: typed[0]?.path ?? named?.roots[0]?.path ?? '/',
        mcpServers: mcpServer.map(readMcpServer),
        metadata: workspace === undefined ? { boundary: { roots: typed } } : { workspace },
      });
      if (json) terminal.json(preview);
      else for (const line of describePreview(preview)) terminal.line(line);
      if (preview.issues.length > 0 || preview.refusal !== undefined) {
        throw new CliError('error', 'such a session cannot be made', preview.issues[0]?.fix ?? preview.refusal);
      }
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
