import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import type { ServerOptions } from '../find-server.ts';
import { withServerOptions } from '../server-options.ts';
import { useServer } from '../use-server.ts';

interface AcpOptions extends ServerOptions {
  readonly agent?: string;
}

const MAX_LINE_BYTES = 33_554_432;

export function acpCommand({ terminal, takeInterrupt }: CommandContext): Command {
  return withServerOptions(new Command('acp'))
    .description('speak ACP over stdin and stdout: what an editor starts as its agent command')
    .option('--agent <name>', 'which agent; the default one unless told')
    .action(async (options: AcpOptions) => {
      const interrupt = takeInterrupt();
      await using server = await useServer(options, terminal, interrupt);
      const [{ openAcpSocket }, { runAcpBridge }] = await Promise.all([
        import('../open-acp-socket.ts'),
        import('../acp-bridge.ts'),
      ]);
      const socket = await openAcpSocket(server.reeve.acpUrl(options.agent));
      const end = await runAcpBridge({
        socket,
        input: process.stdin,
        output: process.stdout,
        maxLineBytes: MAX_LINE_BYTES,
        signal: interrupt,
      });
      if (end === 'aborted') throw interrupt.reason;
      if (end === 'server-gone') {
        throw new CliError(
          'unreachable',
          'the connection to the server was lost',
          'Start this command again, and load the session.',
        );
      }
    });
}
