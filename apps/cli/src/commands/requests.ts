import type { PermissionOption, RequestAnswer, RequestInfo, ReviewParams, ReviewScope } from '@reeve/client';
import { Command, Option } from 'commander';
import { safeUrl } from '../ask-question.ts';
import type { CommandContext } from '../command-context.ts';
import { describeReview, reviewTitle } from '../describe-review.ts';
import { CliError } from '../exit-codes.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { readExpiry, readWholeRoot } from '../root-words.ts';
import { safeLine } from '../safe-text.ts';
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
  readonly reject?: true | string;
  readonly option?: readonly string[];
  readonly text?: string;
  readonly content?: string;
  readonly approve?: boolean;
  readonly deny?: true | string;
  readonly scope?: ReviewScope;
  readonly root?: readonly string[];
  readonly expires?: string;
  readonly trust?: boolean;
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

  withServerOptions(requests.command('show'))
    .description('show one with all that it asks: of a review the whole command, each root and its risks')
    .argument('<id>', 'of the request')
    .option('--json', 'as one JSON object')
    .action(async (id: string, options: ServerOptions & { readonly json?: boolean }) => {
      const request = await (await needServer(options)).requests.show(id);
      if (options.json) return terminal.json(request);
      const { sessionId, kind, state, createdAt, params } = request;
      terminal.line(
        safeLine(`${kind} ${id} of session ${sessionId}, ${state.kind}, since ${timeText(createdAt)}`, 500),
      );
      if (kind === 'review') {
        for (const line of describeReview(params as ReviewParams)) terminal.line(line);
        if (state.kind === 'pending') terminal.note(`answer with "reeve requests answer ${id} --approve" or "--deny"`);
      } else terminal.line(`  ${safeLine(JSON.stringify(params), 100_000)}`);
    });

  withServerOptions(requests.command('answer'))
    .description('answer one; the first valid answer counts')
    .argument('<id>', 'of the request')
    .option('--once', 'allow it this time')
    .option('--always', 'allow it from now on')
    .option('--reject [reason]', 'refuse it, or turn the question down')
    .option('--option <id>', 'choose one of the offered options; several times where several may be chosen', collect)
    .option('--text <text>', 'answer a question in your own words, where it takes them')
    .option('--content <json>', 'fill in a form: one member for each field; {} for a page that was opened')
    .option('--approve', 'of a review: what is asked, or the part of it that the next options say')
    .option('--deny [reason]', 'of a review: nothing of it')
    .addOption(
      new Option('--scope <scope>', 'how far the answer to a review reaches').choices(['session', 'project', 'always']),
    )
    .option('--root <root>', 'of a review: only this root, PATH:ro or PATH:rw; may be given again', collect)
    .option('--expires <when>', 'of a review: how long it counts: 30m, 2h, 7d, or a time')
    .option('--trust', 'of a review: believe what the server says of its own tools')
    .option('--json', 'print the settled request as JSON')
    .action(async (id: string, options: AnswerOptions) => {
      const reeve = await needServer(options);
      const request = await reeve.requests.answer(id, answerOf(options));
      if (options.json) terminal.json(request);
      else terminal.note(`answered ${id}${nearestNote(request)}`);
    });

  return requests;
}

const collect = (id: string, before: readonly string[] = []): string[] => [...before, id];

function answerOf(options: AnswerOptions): RequestAnswer {
  const { once, always, reject, option = [], text, content, approve, deny } = options;
  const answers: RequestAnswer[] = [];
  if (approve) answers.push({ decision: 'approve', ...reviewedPart(options) });
  if (deny !== undefined) {
    const { scope, expires } = options;
    const reason = deny === true ? {} : { reason: deny };
    answers.push({ decision: 'deny', ...reason, ...reviewedPart({ scope, expires }) });
  }
  if (once) answers.push({ reply: 'once' });
  if (always) answers.push({ reply: 'always' });
  if (reject !== undefined) answers.push(reject === true ? { reply: 'reject' } : { reject });
  const [only, ...more] = option;
  if (only !== undefined && more.length === 0 && text === undefined) answers.push({ optionId: only });
  else if (only !== undefined || text !== undefined)
    answers.push({ answers: [...option.map((optionId) => ({ optionId })), ...(text === undefined ? [] : [{ text }])] });
  if (content !== undefined) answers.push({ content: readContent(content) });
  const [answer] = answers;
  if (answer && answers.length === 1) return answer;
  throw new CliError(
    'usage',
    'an answer is exactly one of --once, --always, --reject [REASON], --option ID and --text TEXT, --content JSON, --approve, --deny [REASON]',
  );
}

type ReviewOptions = { readonly [K in 'scope' | 'root' | 'expires' | 'trust']?: AnswerOptions[K] | undefined };

function reviewedPart({ scope, root, expires, trust }: ReviewOptions) {
  return {
    ...(scope === undefined ? {} : { scope }),
    ...(root === undefined ? {} : { roots: root.map(readWholeRoot) }),
    ...(expires === undefined ? {} : { expiresAt: readExpiry(expires) }),
    ...(trust ? { trusted: true } : {}),
  };
}

function readContent(json: string): { readonly [field: string]: unknown } {
  try {
    const content: unknown = JSON.parse(json);
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return content as { readonly [field: string]: unknown };
  } catch {
    // Said below.
  }
  throw new CliError('usage', '--content is a JSON object', `For example: --content '{"name": "value"}'`);
}

/** What was taken where the exact kind was not offered. */
function nearestNote({ state }: RequestInfo): string {
  const mapping = state.kind === 'answered' ? state.mapping : undefined;
  if (!mapping?.nearest || !mapping.chosen) return '';
  return `: "${mapping.asked}" was not offered, "${mapping.chosen.optionId}" (${mapping.chosen.kind}) is the nearest`;
}

function row(request: RequestInfo): unknown[] {
  const { question } = request;
  const params = (request.params ?? {}) as {
    toolCall?: { title?: string };
    message?: string;
    url?: string;
    options?: PermissionOption[];
  };
  const permitted = Array.isArray(params.options) ? params.options.map(({ optionId }) => optionId) : [];
  const asked = question && [...question.options.map(({ id }) => id), ...(question.freeText ? ['--text'] : [])];
  return [
    request.id,
    request.sessionId,
    request.kind,
    request.state.kind,
    timeText(request.createdAt),
    reviewTitle(request) ?? question?.prompt ?? params.toolCall?.title ?? params.message,
    request.kind === 'review' ? '--approve --deny' : (asked ?? permitted).join(' ') || safeUrl(params.url),
  ];
}
