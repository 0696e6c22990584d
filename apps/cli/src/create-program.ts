import { Command } from 'commander';
import pkg from '../package.json' with { type: 'json' };
import type { CommandContext } from './command-context.ts';
import { acpCommand } from './commands/acp.ts';
import { agentsCommand } from './commands/agents.ts';
import { alarmsCommand } from './commands/alarms.ts';
import { attachCommand } from './commands/attach.ts';
import { auditCommand } from './commands/audit.ts';
import { configCommand } from './commands/config.ts';
import { consoleCommand } from './commands/console.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { policyCommand } from './commands/policy.ts';
import { requestsCommand } from './commands/requests.ts';
import { rootsCommand } from './commands/roots.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { serversCommand } from './commands/servers.ts';
import { sessionsCommand } from './commands/sessions.ts';
import { workspacesCommand } from './commands/workspaces.ts';

/** The whole command line. Usage errors reject with commander's own error, after their message went to stderr. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('reeve')
    .description('Runs coding agents inside bounds that a person declared')
    .version(pkg.version, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for the options)')
    .showSuggestionAfterError();
  const commands = [
    serveCommand,
    consoleCommand,
    runCommand,
    attachCommand,
    sessionsCommand,
    requestsCommand,
    rootsCommand,
    serversCommand,
    workspacesCommand,
    alarmsCommand,
    auditCommand,
    agentsCommand,
    configCommand,
    policyCommand,
    doctorCommand,
    demoCommand,
    acpCommand,
  ];
  for (const command of commands) program.addCommand(command(context));
  for (const command of withChildren(program)) command.exitOverride().helpCommand(false);
  return program;
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap((child) => withChildren(child as Command))];
}
