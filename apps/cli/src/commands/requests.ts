import type { PermissionOption, RequestAnswer, RequestInfo } from '@reeve/client';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { withServerOptions } from '../server-options.ts';
import { table, timeText } from '../terminal.ts';

interface ListOptions extends ServerOptions {
  readonly session?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

interface AnswerOptions extends ServerOptions {
  readonly once?: boolean;
  readonly always?: boolean;
  readonly reject?: boolean;
  readonly option?: string;
  readonly json?: boolean;
}

export function requestsCommand({ terminal }: CommandContext): Command {
  const requests = new Command('requests').description('see and answer what waits for a person');

  withServerOptions(requests.command('ls'))
    .description('list what waits, oldest first')
    .option('--session <id>', 'only those of this session')
    .option('--all', 'those that are settled too')
    .option('--json', 'one JSON object a line')
    .action(async (options: ListOptions) => {
      const reeve = await needServer(options);
      const query = {
        state: options.all ? ('all' as const) : ('pending' as const),
        ...(options.session ? { session: options.session } : {}),
      };
      const found = await reeve.requests.list(query);
      if (options.json) for (const request of found) terminal.json(request);
      else if (found.length === 0) terminal.note('nothing waits');
      else terminal.line(table(['REQUEST', 'SESSION', 'KIND', 'STATE', 'SINCE', 'ASKS', 'OPTIONS'], found.map(row)));
    });

  withServerOptions(requests.command('answer'))
    .description('answer one; the first valid answer counts')
    .argument('<id>', 'of the request')
    .option('--once', 'allow it this time')
    .option('--always', 'allow it from now on')
    .option('--reject', 'refuse it')
    .option('--option <id>', 'choose one of the offered options')
    .option('--json', 'print the settled request as JSON')
    .action(async (id: string, options: AnswerOptions) => {
      const reeve = await needServer(options);
      const request = await reeve.requests.answer(id, answerOf(options));
      if (options.json) terminal.json(request);
      else terminal.note(`answered ${id}`);
    });

  return requests;
}

function answerOf({ once, always, reject, option }: AnswerOptions): RequestAnswer {
  const answers: RequestAnswer[] = [];
  if (once) answers.push({ reply: 'once' });
  if (always) answers.push({ reply: 'always' });
  if (reject) answers.push({ reply: 'reject' });
  if (option !== undefined) answers.push({ optionId: option });
  const [answer] = answers;
  if (answer && answers.length === 1) return answer;
  throw new CliError('usage', 'an answer is exactly one of --once, --always, --reject and --option ID');
}

function row(request: RequestInfo): unknown[] {
  const params = (request.params ?? {}) as {
    toolCall?: { title?: string };
    message?: string;
    options?: PermissionOption[];
  };
  const options = Array.isArray(params.options) ? params.options.map(({ optionId }) => optionId).join(' ') : '';
  return [
    request.id,
    request.sessionId,
    request.kind,
    request.state.kind,
    timeText(request.createdAt),
    params.toolCall?.title ?? params.message,
    options,
  ];
}
