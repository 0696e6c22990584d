import { loadConfig, showConfig } from '@reeve/server/config';
import { Command } from 'commander';
import { checkPolicyFiles } from '../check-policy-files.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { readConfig, wrongConfig } from '../read-config.ts';
import { table } from '../terminal.ts';

interface ConfigOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

export function configCommand({ terminal }: CommandContext): Command {
  const config = new Command('config').description('see and check the configuration');

  config
    .command('show')
    .description('print the effective configuration, where each setting came from, secrets hidden')
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data directory')
    .option('--json', 'as one JSON object')
    .action((options: ConfigOptions) => {
      const { config, origins, file } = readConfig({ file: options.config, dataDir: options.data });
      const shown = showConfig(config, origins);
      if (options.json) return terminal.json({ file: file ?? null, settings: shown });
      terminal.note(`file: ${file ?? 'none'}`);
      for (const [path, { value, origin }] of Object.entries(shown)) {
        terminal.line(`${path.padEnd(36)} ${origin.padEnd(8)} ${JSON.stringify(value)}`);
      }
    });

  config
    .command('check')
    .description('say what is wrong with the configuration, and how to mend it')
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print the outcome as JSON')
    .action(async (options: ConfigOptions) => {
      const result = loadConfig({ file: options.config, flags: { dataDir: options.data }, env: process.env });
      const problems = result.kind === 'invalid' ? result.problems : await checkPolicyFiles(result.config.policy.files);
      if (options.json && problems.length > 0) {
        terminal.json({ ok: false, problems });
        throw new CliError('usage', `${problems.length} problems`);
      }
      if (result.kind === 'invalid' || problems.length > 0) throw wrongConfig(problems);
      const { config, file } = result;
      const agents = Object.keys(config.agents);
      if (options.json) return terminal.json({ ok: true, file: file ?? null, agents });
      terminal.line(`${file ?? 'the default configuration'} is right`);
      terminal.line(
        table(
          ['AGENT', 'COMMAND'],
          Object.entries(config.agents).map(([name, { command, args }]) => [name, [command, ...args].join(' ')]),
        ),
      );
    });

  return config;
}
