import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { AcpClient, Reeve } from '@reeve/client';
import { type JsonObject, META_KEY, ourMeta } from '@reeve/protocol';
import { Command, Option } from 'commander';
import { CLI_CLIENT } from '../cli-client.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import type { ServerOptions } from '../find-server.ts';
import { createLineReader } from '../line-reader.ts';
import { readMcpServer } from '../mcp-server-option.ts';
import { createPermissionDesk, PERMISSION_POLICIES, type PermissionPolicy } from '../permission-policy.ts';
import { createRenderer } from '../render-update.ts';
import { linkTo, type RunWishes, sessionWishes, unmetChoices } from '../run-wishes.ts';
import { wholeNumber, withServerOptions } from '../server-options.ts';
import { useServer } from '../use-server.ts';

interface RunOptions extends ServerOptions, RunWishes {
  readonly agent?: string;
  readonly cwd: string;
  readonly json?: boolean;
  readonly permissions: PermissionPolicy;
  readonly timeout?: number;
  readonly keep?: boolean;
  readonly attach: readonly string[];
  readonly workspace?: string;
  readonly mcpServer: readonly string[];
}

/** How long a cancelled turn may take to say so. */
const CANCEL_GRACE_MS = 5000;

export function runCommand(context: CommandContext): Command {
  return withServerOptions(new Command('run'))
    .description('send one prompt in a new session: the answer on stdout, progress on stderr')
    .argument('[prompt]', 'what to ask; stdin when it is left out')
    .option('--agent <name>', 'which agent; the default one unless told')
    .option('--cwd <dir>', 'where the agent works', process.cwd())
    .option('--json', 'print the raw ACP messages, one a line, instead of text')
    .addOption(
      new Option(
        '--permissions <how>',
        'who decides what the agent asks: you, always yes, always no, or another client',
      )
        .choices(PERMISSION_POLICIES)
        .default('ask'),
    )
    .option('--timeout <seconds>', 'cancel the turn after this long', wholeNumber(1))
    .option('--attach <file>', 'point the agent to a file; may be given again', collect, [])
    .option(
      '--workspace <name>',
      'a workspace of the configuration: its roots and MCP servers; works in its first root',
    )
    .option('--mcp-server <server>', 'NAME=COMMAND ARG… or NAME=URL; may be given again', collect, [])
    .option('--title <text>', 'name the session')
    .option('--alias <id>', 'a session id of your own choice')
    .option('--model <name>', 'which model the agent is to use')
    .option('--variant <name>', 'how hard it is to think')
    .option('--mode <name>', 'the mode that the agent is to work in')
    .option('--permission-mode <name>', 'how the agent itself handles permissions')
    .option('--agent-version <version>', 'an exact version, a range, or "latest"')
    .option('--keep', 'leave the agent process running for whoever attaches next')
    .action((prompt: string | undefined, options: RunOptions, command: Command) => {
      const cwdGiven = command.getOptionValueSource('cwd') === 'cli';
      return runPrompt(prompt, options, context, cwdGiven);
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function runPrompt(
  given: string | undefined,
  options: RunOptions,
  context: CommandContext,
  cwdGiven: boolean,
): Promise<void> {
  const { terminal } = context;
  const prompt = given ?? (process.stdin.isTTY ? '' : await readAll(process.stdin));
  if (prompt.trim() === '')
    throw new CliError('usage', 'there is no prompt', 'Write it behind the options, or pipe it in.');
  const links = await Promise.all(options.attach.map(linkTo));
  const mcpServers = options.mcpServer.map(readMcpServer);
  const interrupt = context.takeInterrupt();
  await using server = await useServer(options, terminal, interrupt);
  using lines = createLineReader();
  const desk = createPermissionDesk(options.permissions, terminal, lines.ask);
  const renderer = createRenderer(terminal, { history: false });
  let turnOver = false;
  await using acp = await server.reeve.openAcp({
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    clientCapabilities: desk.clientCapabilities,
    clientInfo: CLI_CLIENT,
    onRequest: (request) => desk.answer(request),
    ...(options.json
      ? { onLine: (line) => (turnOver ? undefined : terminal.raw(line)) }
      : { onUpdate: (notification) => (turnOver ? undefined : renderer.update(notification)) }),
    onState: (state) => {
      if (state.kind === 'reconnecting' && state.attempt === 0) terminal.note('connection lost, connecting again');
    },
  });
  if (interrupt.aborted) throw interrupt.reason;
  const wishes = sessionWishes(options);
  const workspace = options.workspace === undefined ? undefined : await server.reeve.workspaces.show(options.workspace);
  const { sessionId, _meta } = await acp.newSession({
    cwd: (cwdGiven ? undefined : workspace?.roots[0]?.path) ?? resolve(options.cwd),
    mcpServers,
    ...(wishes ? { _meta: { [META_KEY]: wishes } } : {}),
  });
  if (!options.json) terminal.note(`session ${sessionId}`);
  for (const unmet of unmetChoices(ourMeta({ _meta }).applied)) terminal.note(unmet);
  let stopReason: string;
  try {
    const blocks = [{ type: 'text', text: prompt }, ...links];
    stopReason = await turn(acp, sessionId, blocks, options.timeout, interrupt);
  } finally {
    turnOver = true;
    renderer.finish();
    if (!options.keep) await freeProcess(server.reeve, acp, sessionId);
  }
  if (desk.refusedUnasked) {
    throw new CliError(
      'permissionDenied',
      'the agent asked for permission and nobody could be asked',
      'Use --permissions allow, deny or wait.',
    );
  }
  if (stopReason !== 'end_turn') {
    throw new CliError(
      'error',
      `the turn ended with "${stopReason}"`,
      `Look at it with "reeve sessions events ${sessionId}".`,
    );
  }
}

/** One prompt was all: the log stays, the agent process need not, unless somebody else has joined meanwhile. */
async function freeProcess(reeve: Reeve, acp: AcpClient, sessionId: string): Promise<void> {
  try {
    const { attached } = await reeve.sessions.show(sessionId);
    if (attached <= 1) await acp.closeSession(sessionId);
  } catch {
    // The server frees it by itself after a while.
  }
}

/** The stop reason. A time-out or a signal cancels the turn, waits a little for its end, and rejects. */
async function turn(
  acp: AcpClient,
  sessionId: string,
  prompt: readonly JsonObject[],
  timeoutS: number | undefined,
  interrupt: AbortSignal,
): Promise<string> {
  const late = timeoutS === undefined ? undefined : AbortSignal.timeout(timeoutS * 1000);
  const signal = late ? AbortSignal.any([interrupt, late]) : interrupt;
  const answer = acp.prompt(sessionId, prompt, { signal });
  const given = await Promise.race([answer, cancelGrace(signal)]);
  if (interrupt.aborted) throw interrupt.reason;
  if (late?.aborted) throw new CliError('timeout', `the turn took longer than ${timeoutS} s and was cancelled`);
  return given?.stopReason ?? 'unknown';
}

function cancelGrace(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const begin = (): void => void setTimeout(() => resolve(undefined), CANCEL_GRACE_MS).unref();
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
}
