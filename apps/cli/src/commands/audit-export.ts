import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { AuditQuery, AuditVerdict } from '@reeve/client';
import { Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { JsonLines } from '../json-lines.ts';
import { withServerOptions } from '../server-options.ts';
import { withAuditFilter } from './audit-filter.ts';

interface ExportOptions extends ServerOptions, AuditQuery {
  readonly format: 'jsonl' | 'ocsf' | 'decisions';
  readonly out?: string;
}

interface VerifyOptions extends ServerOptions {
  readonly key?: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly json?: boolean;
}

/** A line of an export is a few kilobytes; one that is longer is none. */
const MAX_LINE_BYTES = 1024 * 1024;

export function auditExportCommand({ terminal }: CommandContext): Command {
  const command = withAuditFilter(withServerOptions(new Command('export')));
  return command
    .description(
      'write the log as lines that can be checked without the server, as events of OCSF, or what policies decided',
    )
    .addOption(
      new Option('--format <format>', 'what to write').choices(['jsonl', 'ocsf', 'decisions']).default('jsonl'),
    )
    .option('--out <file>', 'a new file, instead of stdout')
    .action(async ({ format, out, ...options }: ExportOptions) => {
      const { session, trace, kind, decision, server, since, until, under } = options;
      const reeve = await needServer(options);
      const lines = reeve.audit.export({ format, session, trace, kind, decision, server, since, until, under });
      if (out === undefined) {
        for await (const line of lines) terminal.raw(line);
        return;
      }
      await using file = await newFile(out);
      for await (const line of lines) await file.write(`${line}\n`);
      terminal.note(`wrote ${out}`);
    });
}

export function auditVerifyCommand({ terminal }: CommandContext): Command {
  return withServerOptions(new Command('verify'))
    .description(
      'find what was changed, removed, moved or cut: in an export, without any server, or in the log of the server',
    )
    .argument('[file]', 'an export; "-" for stdin; the server checks its own log without it')
    .option(
      '--key <key>',
      'the public key that is trusted (again for more); else the one that the export names',
      collect,
    )
    .option(
      '--checkpoint <file>',
      'a checkpoint that was kept (again for more): what it covers must still be there',
      collect,
    )
    .option('--json', 'print the outcome as JSON')
    .action(async (file: string | undefined, options: VerifyOptions) => {
      const keys = options.key ?? [];
      const checkpoints = await Promise.all((options.checkpoint ?? []).map(readText));
      const verdict =
        file === undefined
          ? await (await needServer(options)).audit.verify({ keys, checkpoints })
          : await verifyFile(file, keys, checkpoints);
      if (options.json) terminal.json(verdict);
      else for (const line of describe(verdict)) terminal.line(line);
      if (verdict.kind === 'damaged') throw new CliError('error', 'the audit log is not what was recorded');
    });
}

async function verifyFile(
  file: string,
  keys: readonly string[],
  checkpoints: readonly string[],
): Promise<AuditVerdict> {
  const { UnverifiableError, verifyExport } = await import('@reeve/server/audit');
  try {
    return await verifyExport(linesOf(file), { keys, checkpoints });
  } catch (error) {
    if (error instanceof UnverifiableError) throw new CliError('usage', error.message);
    throw unreadable(file, error);
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const lines = new JsonLines(MAX_LINE_BYTES);
  const bytes = file === '-' ? process.stdin : createReadStream(file);
  for await (const chunk of bytes) {
    // What is too long for a line of ours is told as one that cannot be read.
    for (const line of lines.push(chunk as Buffer)) yield line?.toString() ?? '{';
  }
  for (const line of lines.end()) yield line?.toString() ?? '{';
}

function describe(verdict: AuditVerdict): string[] {
  const { kind, records, covered, complete, keys, keyFromExport, problems, moreProblems, notes, origin } = verdict;
  const what = complete ? `${records} records of ${origin}` : `${records} of the records of ${origin}`;
  return [
    kind === 'intact' ? `${what}: nothing was changed, removed, moved or cut` : `${what}: DAMAGED`,
    ...problems.map(({ message }) => `  ${message}`),
    ...(moreProblems > 0 ? [`  and ${moreProblems} more`] : []),
    keyFromExport
      ? `its own checkpoint covers ${covered} records`
      : `a checkpoint that a trusted key signed covers ${covered} records`,
    ...(keyFromExport
      ? [
          `the key is the one that the log itself names: compare it with yours, or give it with --key: ${keys.join(' ')}`,
        ]
      : []),
    ...notes,
  ];
}

async function newFile(path: string) {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw new CliError(
      'error',
      `${path} cannot be written: ${(error as Error).message}`,
      'Give the name of a new file.',
    );
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): CliError {
  return new CliError('usage', `${path} cannot be read: ${(error as Error).message}`);
}

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
