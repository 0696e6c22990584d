import { connectReeve } from '@reeve/client';
import { META_KEY } from '@reeve/protocol';
import { Command } from 'commander';
import { CLI_CLIENT } from '../cli-client.ts';
import type { CommandContext } from '../command-context.ts';
import { answerEverything } from '../demo/answer-everything.ts';
import type { TellDemo } from '../demo/demo-event.ts';
import { createScene } from '../demo/demo-scene.ts';
import { createDemoRenderer } from '../demo/render-demo.ts';
import { type DemoOutcome, runDemo } from '../demo/run-demo.ts';
import { CliError } from '../exit-codes.ts';
import { createLineReader } from '../line-reader.ts';
import { createPermissionDesk } from '../permission-policy.ts';
import { readConfig } from '../read-config.ts';

interface DemoOptions {
  readonly yes?: boolean;
  readonly port: string;
  readonly json?: boolean;
}

export function demoCommand(context: CommandContext): Command {
  return new Command('demo')
    .description('see a session from its question to its audit log: an agent of our own, no key, no network')
    .option('--yes', 'answer everything here, and end')
    .option('--port <port>', 'port to listen on; 0 takes any free one', '0')
    .option('--json', 'print what happens as JSON, one event a line')
    .action((options: DemoOptions) => demonstrate(options, context));
}

async function demonstrate(
  { yes, port, json }: DemoOptions,
  { terminal, takeInterrupt }: CommandContext,
): Promise<void> {
  const interrupt = takeInterrupt();
  await using scene = await createScene();
  // Nothing of the caller's own: no configuration, no agents.
  const { config } = readConfig({ file: scene.configFile, dataDir: scene.dataDir, host: '127.0.0.1', port }, {});
  const { startServer } = await import('@reeve/server');
  await using server = await startServer(config);
  interrupt.throwIfAborted();
  const { url, token } = server;
  const tell: TellDemo = json ? (event) => terminal.json(event) : createDemoRenderer(terminal);
  tell({
    kind: 'started',
    url,
    token,
    console: `${url}/#token=${token}`,
    project: scene.project,
    outside: scene.outside,
    enforced: server.sandbox.enforced,
    bounds: server.sandbox.text,
  });
  using lines = createLineReader();
  const desk = createPermissionDesk(terminal.interactive && !json ? 'ask' : 'wait', terminal, lines.ask);
  if (!yes) terminal.note('Answer what is asked in the console (the address above), or here where somebody types.');
  const run = runDemo({
    reeve: connectReeve({ url, token, client: CLI_CLIENT }),
    scene,
    tell,
    signal: interrupt,
    ...(yes
      ? {
          onRequest: answerEverything(tell),
          clientCapabilities: { _meta: { [META_KEY]: { requestQuestion: true } } },
        }
      : { onRequest: (request) => desk.answer(request), clientCapabilities: desk.clientCapabilities }),
  });
  const outcome = await run.catch((error: unknown) => {
    interrupt.throwIfAborted();
    throw error;
  });
  if (outcome.stopReason !== 'end_turn') interrupt.throwIfAborted();
  checkHeld(outcome, server.sandbox.enforced);
  if (yes) return;
  terminal.note('The server stays until Ctrl-C: look around in the console.');
  if (!interrupt.aborted)
    await new Promise<void>((resolve) => interrupt.addEventListener('abort', () => resolve(), { once: true }));
}

/** Where a sandbox holds the agent, nothing outside may have been read. */
function checkHeld({ attempts }: DemoOutcome, enforced: boolean): void {
  const read = attempts.filter(({ refused }) => !refused);
  if (enforced && read.length > 0)
    throw new CliError(
      'error',
      `a file outside the project was read (${read.map(({ by }) => by).join(', ')}), though a sandbox should keep that`,
      'See what this machine can enforce with "reeve doctor".',
    );
}
