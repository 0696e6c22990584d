import { resolve } from 'node:path';
import { parseIsoTime } from '@reeve/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { durationMs } from '../duration.ts';

/** The options that choose records of the audit log. */
export function withAuditFilter(command: Command): Command {
  return command
    .option('--session <id>', 'of this session')
    .option('--trace <id>', 'of this trace: 32 hex digits, as "traceparent" has them')
    .option('--kind <kind>', 'of this kind, for example request.answered')
    .option('--decision <decision>', 'allow, deny, ask_user, ask_admin, answered, rejected, cancelled, void or other')
    .option('--server <server>', 'about this MCP server, by its name or fingerprint')
    .option('--since <time>', 'from this time on: ISO 8601, or how long ago: 30m, 2h, 7d', time)
    .option('--until <time>', 'before this time, written alike', time)
    .option('--under <path>', 'about this directory or file of the server, or what is below it', (path) =>
      resolve(path),
    );
}

function time(text: string): string {
  const ago = durationMs(text);
  if (ago !== undefined) return String(Math.max(0, Date.now() - ago));
  if (/^\d{1,15}$/.test(text) || parseIsoTime(text) !== undefined) return text;
  throw new InvalidArgumentError('Write a time such as 2026-11-21T15:00:00Z, or how long ago, such as 30m, 2h or 7d.');
}
