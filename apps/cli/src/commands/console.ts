import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { findServer, type ServerOptions } from '../find-server.ts';
import { withServerOptions } from '../server-options.ts';

interface ConsoleOptions extends ServerOptions {
  readonly json?: boolean;
}

/** The link that signs in to the console of the running server. */
export function consoleCommand({ terminal }: CommandContext): Command {
  return withServerOptions(new Command('console'))
    .description('print the link that opens the console of the running server, signed in')
    .option('--json', 'print {"url","link"}')
    .action(async (options: ConsoleOptions) => {
      const found = await findServer(options);
      if (found.kind === 'none') {
        const next = 'Start one with "reeve serve", or name one with --url and --token.';
        throw new CliError('unreachable', `no server runs on ${found.config.dataDir}`, next);
      }
      await found.reeve.sessions.list({ limit: 1 });
      const url = `${found.url.replace(/\/+$/, '')}/`;
      const link = found.token === undefined ? url : `${url}#token=${encodeURIComponent(found.token)}`;
      if (options.json) return terminal.json({ url, link });
      terminal.line(link);
      terminal.note('Open it in a browser of this machine.');
      if (found.token !== undefined)
        terminal.note('It holds the token of the server: whoever has the link may do all that you may.');
    });
}
