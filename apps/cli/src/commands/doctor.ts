import { connectReeve } from '@reeve/client';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { findServer } from '../find-server.ts';
import { readConfig } from '../read-config.ts';
import { renderDoctor } from '../render-doctor.ts';

interface DoctorOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const HEALTH_MS = 2000;

export function doctorCommand({ terminal, takeInterrupt }: CommandContext): Command {
  return new Command('doctor')
    .description(
      'see what this machine can enforce, and whether it does: starts a process in a sandbox and tries to get out',
    )
    .option('--config <file>', 'configuration file')
    .option('--data <dir>', 'data directory')
    .option('--json', 'print the report as one JSON object')
    .action(async (options: DoctorOptions) => {
      const interrupt = takeInterrupt();
      const { config, origins } = readConfig({ file: options.config, dataDir: options.data });
      // Another machine's server, which REEVE_URL may name, says nothing about this one.
      const found = await findServer(options, { ...process.env, REEVE_URL: '' });
      const { examine } = await import('@reeve/server');
      const report = await examine(config, {
        env: process.env,
        running: found.kind === 'running' ? { url: found.url } : undefined,
        isReeve,
        isNamed: (agent) => origins[`agents.${agent}`] === 'file',
        onProgress: (what) => terminal.note(`${what} …`),
        signal: interrupt,
      });
      interrupt.throwIfAborted();
      if (options.json) terminal.json(report);
      else terminal.text(renderDoctor(report));
      if (!report.ok) {
        throw new CliError(
          'error',
          'what the configuration requires does not hold here',
          'Mend what is marked "wrong", or have boundaries only declared, which confines nothing.',
        );
      }
    });
}

async function isReeve(url: string): Promise<boolean> {
  try {
    await connectReeve({ url }).health(AbortSignal.timeout(HEALTH_MS));
    return true;
  } catch {
    return false;
  }
}
