import type { AuditEntry } from '@reeve/client';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { wholeNumber, withServerOptions } from '../server-options.ts';
import { table, timeText } from '../terminal.ts';

interface AlarmOptions extends ServerOptions {
  readonly session?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** Who reached for what it was not given. */
export function alarmsCommand({ terminal }: CommandContext): Command {
  return withServerOptions(new Command('alarms'))
    .description('list who reached for what it was not given, newest first')
    .option('--session <id>', 'only those of this session')
    .option('--limit <n>', 'at most this many, up to 1000', wholeNumber(1), 100)
    .option('--json', 'one JSON object a line')
    .action(async ({ session, limit, json, ...options }: AlarmOptions) => {
      const { alarms } = await (await needServer(options)).alarms({ session, limit: Math.min(limit, 1000) });
      if (json) for (const alarm of alarms) terminal.json(alarm);
      else if (alarms.length === 0) terminal.note('no alarms');
      else {
        terminal.line(table(['RECORD', 'TIME', 'SESSION', 'SERVER', 'BY', 'TOOL'], alarms.map(row)));
        terminal.note('paths are told by "reeve audit reveal RECORD", which is recorded');
      }
    });
}

function row({ seq, at, session, facts }: AuditEntry): unknown[] {
  const { server, from, tool } = facts as {
    readonly server?: { readonly name?: unknown };
    from?: unknown;
    tool?: unknown;
  };
  return [seq, timeText(at), session, server?.name, from, tool];
}
