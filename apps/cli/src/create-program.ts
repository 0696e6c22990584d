import { Command } from 'commander';
import pkg from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';

type MakeCommand = (context: CommandContext) => Command;

/** In the order of the help. Each is read only when it is needed: one command line runs one of them, and should start soon. */
const COMMANDS: ReadonlyMap<string, () => Promise<MakeCommand>> = new Map<string, () => Promise<MakeCommand>>([
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['run', async () => (await import('./commands/run.ts')).runCommand],
  ['attach', async () => (await import('./commands/attach.ts')).attachCommand],
  ['sessions', async () => (await import('./commands/sessions.ts')).sessionsCommand],
  ['requests', async () => (await import('./commands/requests.ts')).requestsCommand],
  ['audit', async () => (await import('./commands/audit.ts')).auditCommand],
  ['agents', async () => (await import('./commands/agents.ts')).agentsCommand],
  ['config', async () => (await import('./commands/config.ts')).configCommand],
  ['policy', async () => (await import('./commands/policy.ts')).policyCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).doctorCommand],
  ['acp', async () => (await import('./commands/acp.ts')).acpCommand],
]);

/**
 * The command line as far as `argv` needs it: the command that it names, or all where it names none. Usage errors reject with
 * commander's own error, after their message went to stderr.
 */
export async function createProgram(context: CommandContext, argv: readonly string[]): Promise<Command> {
  const program = new Command('reeve')
    .description('Runs coding agents inside bounds that a person declared')
    .version(pkg.version, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for the options)')
    .showSuggestionAfterError();
  const named = COMMANDS.get(argv[0] ?? '');
  const commands = await Promise.all(named ? [named()] : [...COMMANDS.values()].map((load) => load()));
  for (const command of commands) program.addCommand(command(context));
  for (const command of withChildren(program)) command.exitOverride().helpCommand(false);
  return program;
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withChildren(child as Command))];
}
