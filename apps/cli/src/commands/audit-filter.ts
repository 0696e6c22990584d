import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';

/** The options that choose records of the audit log. */
export function withAuditFilter(command: Command): Command {
  return command
    .option('--session <id>', 'of this session')
    .option('--trace <id>', 'of this trace: 32 hex digits, as "traceparent" has them')
    .option('--kind <kind>', 'of this kind, for example request.answered')
    .option('--decision <decision>', 'allow, deny, answered, rejected, cancelled or void')
    .option('--server <server>', 'about this MCP server, by its name or fingerprint')
    .option('--since <time>', 'from this time on: ISO 8601', time)
    .option('--until <time>', 'before this time', time)
    .option('--under <path>', 'about this directory or file of the server, or what is below it', (path) =>
      resolve(path),
    );
}

function time(text: string): string {
  if (/^\d{1,15}$/.test(text) || !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Write a time such as 2026-11-21T15:00:00Z.');
}
