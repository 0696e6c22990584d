import { Command } from 'commander';
import pkg from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';

/** In the order of the help. Their code is read when one of them is meant: that of all takes longer than a start may. */
const COMMANDS: Readonly<Record<string, () => Promise<(context: CommandContext) => Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  console: async () => (await import('./commands/console.ts')).consoleCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  attach: async () => (await import('./commands/attach.ts')).attachCommand,
  sessions: async () => (await import('./commands/sessions.ts')).sessionsCommand,
  requests: async () => (await import('./commands/requests.ts')).requestsCommand,
  roots: async () => (await import('./commands/roots.ts')).rootsCommand,
  servers: async () => (await import('./commands/servers.ts')).serversCommand,
  workspaces: async () => (await import('./commands/workspaces.ts')).workspacesCommand,
  alarms: async () => (await import('./commands/alarms.ts')).alarmsCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  agents: async () => (await import('./commands/agents.ts')).agentsCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  policy: async () => (await import('./commands/policy.ts')).policyCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  acp: async () => (await import('./commands/acp.ts')).acpCommand,
};

/**
 * The command line of which `argv` names a command: that command, or all where it names none of them. Usage errors reject with
 * commander's own error, after their message went to stderr.
 */
export async function createProgram(context: CommandContext, argv: readonly string[]): Promise<Command> {
  const program = new Command('reeve')
    .description('Runs coding agents inside bounds that a person declared')
    .version(pkg.version, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for the options)')
    .showSuggestionAfterError();
  const all = Object.entries(COMMANDS);
  const meant = all.filter(([name]) => name === argv[0]);
  const commands = await Promise.all((meant.length > 0 ? meant : all).map(([, load]) => load()));
  for (const command of commands) program.addCommand(command(context));
  for (const command of withChildren(program)) command.exitOverride().helpCommand(false);
  return program;
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withChildren(child as Command))];
}
