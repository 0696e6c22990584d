import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { Interrupted } from '../interrupts.ts';
import { readConfig } from '../read-config.ts';
import type { Terminal } from '../terminal.ts';

interface ServeOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly auth: boolean;
  readonly logLevel?: string;
}

export function serveCommand({ terminal, takeInterrupt }: CommandContext): Command {
  return new Command('serve')
    .description('run the server until it is told to stop')
    .option('--config <file>', 'configuration file')
    .option('--host <host>', 'address to listen on')
    .option('--port <port>', 'port to listen on; 0 takes any free one')
    .option('--data <dir>', 'data directory')
    .option('--log-level <level>', 'silent, fatal, error, warn, info, debug or trace')
    .option('--json', 'print {"url","token"} as the first line, and nothing else')
    .option('--no-auth', 'let every program of this machine in, without a token')
    .action(async (options: ServeOptions) => {
      const interrupt = takeInterrupt();
      const { config, origins } = readConfig({
        file: options.config,
        host: options.host,
        port: options.port,
        dataDir: options.data,
        logLevel: options.logLevel,
        auth: options.auth ? undefined : 'none',
      });
      const { startServer } = await import('@reeve/server');
      // A person reads the banner: without a word about it, the log says only what is wrong.
      const quiet = !options.json && origins['log.level'] === 'default';
      const server = await startServer(quiet ? { ...config, log: { level: 'warn' } } : config);
      if (options.json) terminal.json({ url: server.url, token: server.token ?? null });
      else introduce(terminal, server, config);
      await new Promise<void>((resolve) => {
        if (interrupt.aborted) resolve();
        else interrupt.addEventListener('abort', () => resolve(), { once: true });
      });
      const reason = interrupt.reason instanceof Interrupted ? interrupt.reason.signal : 'asked to stop';
      if (!options.json) terminal.note(`reeve: ${reason}: ending turns and agents (a second signal ends at once)`);
      const overdue = setTimeout(() => {
        terminal.note(`reeve: not done within ${config.timeouts.shutdownMs} ms (timeouts.shutdownMs), ending now`);
        process.exit(1);
      }, config.timeouts.shutdownMs);
      await server.stop(reason);
      clearTimeout(overdue);
    });
}

interface Introduced {
  readonly url: string;
  readonly token: string | undefined;
  readonly agents: readonly {
    readonly name: string;
    readonly available: boolean;
    readonly problem?: string | undefined;
  }[];
  readonly sandbox: { readonly text: string };
}

function introduce(
  terminal: Terminal,
  server: Introduced,
  config: { readonly dataDir: string; readonly defaultAgent?: string | undefined },
): void {
  const { url, token, agents, sandbox } = server;
  const found = agents
    .filter(({ available }) => available)
    .map(({ name }) => (name === config.defaultAgent ? `${name} (default)` : name));
  terminal.line(`Reeve listens on ${url}`);
  terminal.line(
    token === undefined
      ? '  token    none: every program of this machine may use it'
      : `  token    ${token.slice(0, 4)}…, whole in ${config.dataDir}/token`,
  );
  terminal.line(`  console  ${url}/ ("reeve console" prints a link that signs in)`);
  terminal.line(`  data     ${config.dataDir}`);
  terminal.line(
    `  agents   ${found.length > 0 ? found.join(', ') : 'none found: install one, or name one in the configuration ("agents")'}`,
  );
  for (const { name, available, problem } of agents) {
    if (!available) terminal.line(`           ${name} cannot be started: ${problem ?? 'unknown reason'}`);
  }
  terminal.line(`  bounds   ${sandbox.text}`);
}
