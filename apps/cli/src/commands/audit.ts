import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEntry, AuditQuery } from '@reeve/client';
import { Command } from 'commander';
import { auditRow } from '../audit-row.ts';
import type { CommandContext } from '../command-context.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { safeLine } from '../safe-text.ts';
import { wholeNumber, withServerOptions } from '../server-options.ts';
import { table } from '../terminal.ts';
import { auditExportCommand, auditVerifyCommand } from './audit-export.ts';
import { withAuditFilter } from './audit-filter.ts';

interface ListOptions extends ServerOptions, AuditQuery {
  readonly limit: number;
  readonly follow?: boolean;
  readonly json?: boolean;
}

interface OneOptions extends ServerOptions {
  readonly json?: boolean;
}

const HEADINGS = ['RECORD', 'TIME', 'KIND', 'SESSION', 'BY', 'DECISION', 'FACTS', 'TRACE'];
/** How often a tail that is followed looks for more. */
const LOOK_MS = 500;
const PAGE = 1000;

export function auditCommand(context: CommandContext): Command {
  const { terminal, takeInterrupt } = context;
  const audit = new Command('audit').description('see, export and check the record of what was decided');

  const print = (records: readonly AuditEntry[], json: boolean | undefined, headings = true): void => {
    if (json) for (const record of records) terminal.json(record);
    else if (headings && records.length > 0) terminal.line(table(HEADINGS, records.map(auditRow)));
    else for (const record of records) terminal.line(safeLine(auditRow(record).join('  '), 500));
  };

  withAuditFilter(withServerOptions(audit.command('tail')))
    .description('print the newest records, the newest last')
    .option('--limit <n>', 'so many', wholeNumber(1), 20)
    .option('--follow', 'go on with those that come, until Ctrl-C')
    .option('--json', 'one JSON object a line')
    .action(async ({ limit, follow, json, ...options }: ListOptions) => {
      const reeve = await needServer(options);
      const query = queryOf(options);
      const { records } = await reeve.audit.list({ ...query, limit: Math.min(limit, PAGE) });
      print(records.toReversed(), json);
      if (!follow) return;
      const interrupt = takeInterrupt();
      let next = (records[0]?.seq ?? (await reeve.audit.checkpoint()).size - 1) + 1;
      for (;;) {
        await wait(LOOK_MS, undefined, { signal: interrupt }).catch(() => {});
        interrupt.throwIfAborted();
        const page = await reeve.audit.list({ ...query, order: 'oldest', cursor: String(next), limit: PAGE });
        print(page.records, json, false);
        next = (page.records.at(-1)?.seq ?? next - 1) + 1;
      }
    });

  withAuditFilter(withServerOptions(audit.command('search')))
    .description('find records, the oldest first')
    .option('--limit <n>', 'at most this many', wholeNumber(1), 100)
    .option('--json', 'one JSON object a line')
    .action(async ({ limit, json, ...options }: ListOptions) => {
      const reeve = await needServer(options);
      let cursor: string | undefined;
      for (let left = limit, first = true; left > 0; first = false) {
        const query = { ...queryOf(options), order: 'oldest' as const, limit: Math.min(left, PAGE), cursor };
        const page = await reeve.audit.list(query);
        print(page.records, json, first);
        left -= page.records.length;
        cursor = page.nextCursor;
        if (cursor === undefined) {
          if (first && page.records.length === 0) terminal.note('no record');
          return;
        }
      }
      terminal.note('there are more: raise --limit');
    });

  audit.addCommand(auditExportCommand(context));
  audit.addCommand(auditVerifyCommand(context));

  withServerOptions(audit.command('checkpoint'))
    .description('print what the log has now, signed: keep it where the server cannot reach')
    .option('--json', 'print it with its parts as JSON')
    .action(async (options: OneOptions) => {
      const shown = await (await needServer(options)).audit.checkpoint();
      if (options.json) terminal.json(shown);
      else terminal.text(shown.checkpoint);
    });

  withServerOptions(audit.command('reveal'))
    .description('show the paths of a record in the clear; that is recorded')
    .argument('<record>', 'its number', wholeNumber(0))
    .option('--json', 'print them as JSON')
    .action(async (record: number, options: OneOptions) => {
      const paths = await (await needServer(options)).audit.reveal(record);
      if (options.json) terminal.json({ paths });
      else
        terminal.line(
          table(
            ['LABEL', 'PATH'],
            paths.map(({ label, path }) => [label, path]),
          ),
        );
    });

  const keys = audit.command('keys').description('see and change the key that signs the log');
  withServerOptions(keys.command('show'))
    .description('print the public key, for "reeve audit verify --key"')
    .option('--json', 'print it as JSON')
    .action(async (options: OneOptions) => {
      const { key, origin } = await (await needServer(options)).audit.checkpoint();
      if (options.json) terminal.json({ key, origin });
      else terminal.line(key);
    });
  withServerOptions(keys.command('rotate'))
    .description('sign with a new key from now on; the old one signs that, and is gone')
    .option('--json', 'print the new public key as JSON')
    .action(async (options: OneOptions) => {
      const key = await (await needServer(options)).audit.rotateKey();
      if (options.json) terminal.json({ key });
      else terminal.line(key);
    });

  return audit;
}

function queryOf({ session, trace, kind, decision, server, since, until, under }: AuditQuery): AuditQuery {
  return { session, trace, kind, decision, server, since, until, under };
}
