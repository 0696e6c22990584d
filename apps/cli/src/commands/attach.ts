import { CallError } from '@reeve/client';
import { Command } from 'commander';
import { CLI_CLIENT } from '../cli-client.ts';
import type { CommandContext } from '../command-context.ts';
import { needServer, type ServerOptions } from '../find-server.ts';
import { createLineReader } from '../line-reader.ts';
import { orNoSession } from '../no-session.ts';
import { createPermissionDesk } from '../permission-policy.ts';
import { createRenderer } from '../render-update.ts';
import { wholeNumber, withServerOptions } from '../server-options.ts';

interface AttachOptions extends ServerOptions {
  readonly observe?: boolean;
  readonly after?: number;
  readonly json?: boolean;
}

export function attachCommand(context: CommandContext): Command {
  return withServerOptions(new Command('attach'))
    .description('watch a session, and take part: lines you type are prompts, permissions are asked')
    .argument('<session>', 'its id or alias')
    .option('--observe', 'only watch')
    .option('--after <seq>', 'begin after this event instead of at the beginning', wholeNumber(0))
    .option('--json', 'print the raw ACP messages, one a line, instead of text')
    .action((id: string, options: AttachOptions) => attach(id, options, context));
}

async function attach(id: string, options: AttachOptions, { terminal, takeInterrupt }: CommandContext): Promise<void> {
  const interrupt = takeInterrupt();
  const reeve = await needServer(options);
  const { sessionId, agent, cwd, additionalDirectories } = await orNoSession(reeve.sessions.show(id));
  const takesPart = !options.observe && terminal.interactive;
  const renderer = createRenderer(terminal, { history: true });
  const { promise: ended, resolve: end } = Promise.withResolvers<CallError | undefined>();
  using lines = createLineReader((line) => {
    if (line.trim() !== '') void prompt(line);
  });
  // A command that nobody sits at must not refuse what a person elsewhere could allow.
  const desk = createPermissionDesk(takesPart ? 'ask' : 'wait', terminal, lines.ask);
  await using acp = await reeve.openAcp({
    agent,
    clientCapabilities: desk.clientCapabilities,
    clientInfo: CLI_CLIENT,
    onRequest: (request) => desk.answer(request),
    ...(options.json
      ? { onLine: (line) => terminal.raw(line) }
      : { onUpdate: (notification) => renderer.update(notification) }),
    onState: (state) => {
      if (state.kind === 'reconnecting' && state.attempt === 0) terminal.note('connection lost, connecting again');
      if (state.kind === 'closed') end(state.error);
    },
  });
  const prompt = async (line: string): Promise<void> => {
    try {
      const { stopReason } = await acp.prompt(sessionId, line);
      renderer.finish();
      terminal.note(`turn ended: ${stopReason}`);
    } catch (error) {
      if (error instanceof CallError) terminal.note(`${error.message}${error.next ? ` (${error.next})` : ''}`);
    }
  };
  await acp.loadSession(
    { sessionId, cwd, additionalDirectories },
    {
      role: options.observe ? 'observer' : 'controller',
      ...(options.after === undefined ? {} : { after: options.after }),
    },
  );
  renderer.finish();
  if (takesPart) {
    terminal.note(`attached to ${sessionId} (${agent}): type a prompt, Ctrl-C leaves`);
    lines.start();
  }
  interrupt.addEventListener('abort', () => end(undefined), { once: true });
  const lost = await ended;
  renderer.finish();
  if (interrupt.aborted) throw interrupt.reason;
  if (lost) throw lost;
}
