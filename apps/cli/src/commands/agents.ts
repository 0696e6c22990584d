import type { AgentVersions } from '@reeve/client';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import type { ServerOptions } from '../find-server.ts';
import { safeLine } from '../safe-text.ts';
import { withServerOptions } from '../server-options.ts';
import { table } from '../terminal.ts';
import { useServer } from '../use-server.ts';

interface AgentsOptions extends ServerOptions {
  readonly json?: boolean;
}

export function agentsCommand({ terminal }: CommandContext): Command {
  const agents = new Command('agents').description('see which agents there are, and try one');

  withServerOptions(agents.command('ls'))
    .description('list agents')
    .option('--json', 'one JSON object a line')
    .action(async (options: AgentsOptions) => {
      await using server = await useServer(options, terminal);
      const found = await server.reeve.agents.list();
      if (options.json) for (const agent of found) terminal.json(agent);
      else if (found.length === 0) terminal.note('no agents: install one, or name one in the configuration ("agents")');
      else {
        const rows = found.map(({ name, available, command, args, problem, default: standard }) => [
          standard ? `${name} (default)` : name,
          available ? 'yes' : 'no',
          [command, ...args].join(' '),
          problem,
        ]);
        terminal.line(table(['AGENT', 'AVAILABLE', 'COMMAND', 'PROBLEM'], rows));
      }
    });

  withServerOptions(agents.command('show'))
    .description('show what is known of an agent: capabilities, models and modes; starts nothing')
    .argument('<name>')
    .option('--json', 'print it as JSON')
    .action(async (name: string, options: AgentsOptions) => {
      await using server = await useServer(options, terminal);
      const agent = await server.reeve.agents.show(name);
      if (options.json) return terminal.json(agent);
      for (const [member, value] of Object.entries(agent)) {
        const shown = typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value);
        for (const [index, line] of shown.split('\n').entries()) {
          terminal.line(`${(index === 0 ? member : '').padEnd(12)} ${safeLine(line, 500)}`);
        }
      }
      if (agent.initialize === undefined) terminal.note(`it was not started yet: "reeve agents check ${name}" does`);
    });

  withServerOptions(agents.command('check'))
    .description('start an agent, initialize it and end it')
    .argument('<name>')
    .option('--json', 'print the outcome as JSON')
    .action(async (name: string, options: AgentsOptions) => {
      await using server = await useServer(options, terminal);
      const check = await server.reeve.agents.check(name);
      if (options.json) terminal.json(check);
      else if (check.ok) {
        terminal.line(`${name} answered initialize in ${Math.round(check.durationMs)} ms`);
        const { agentInfo, protocolVersion } = (check.initialize ?? {}) as {
          agentInfo?: { name?: string; version?: string };
          protocolVersion?: number;
        };
        terminal.line(
          `  ${agentInfo?.name ?? 'unnamed'} ${agentInfo?.version ?? ''}, protocol version ${protocolVersion ?? 'unknown'}`,
        );
      }
      if (!check.ok) {
        const { message, next, data } = (check.error ?? {}) as {
          message?: string;
          next?: string;
          data?: { next?: string; stderr?: string };
        };
        const stderr = data?.stderr ? `\n${data.stderr.trimEnd()}` : '';
        throw new CliError(
          'error',
          `${name} did not start: ${message ?? 'unknown reason'}${stderr}`,
          next ?? data?.next,
        );
      }
    });

  withServerOptions(agents.command('versions'))
    .description('list versions of an agent: the configured one, those installed, those of the npm registry')
    .argument('<name>')
    .option('--json', 'print them as JSON')
    .action(async (name: string, options: AgentsOptions) => {
      await using server = await useServer(options, terminal);
      const there = await server.reeve.agents.versions(name);
      if (options.json) return terminal.json(there);
      terminal.line(table(['VERSION', 'WHAT'], versionRows(there)));
      if (there.package === undefined) terminal.note(`no npm package is configured for ${name} ("npm")`);
      if (there.problem !== undefined) terminal.note(there.problem);
    });

  withServerOptions(agents.command('install'))
    .description('install a version of an agent from npm, for sessions that ask for it')
    .argument('<name[@version]>', 'the version may be a range or a tag; "latest" unless told')
    .option('--json', 'print what was installed as JSON')
    .action(async (what: string, options: AgentsOptions) => {
      const [name = '', version] = what.split(/@(.*)/s);
      await using server = await useServer(options, terminal);
      const installed = await server.reeve.agents.install(name, {
        ...(version ? { version } : {}),
        onProgress: ({ phase, detail }) => terminal.note(`${phase}: ${detail}`),
      });
      if (installed.note !== undefined) terminal.note(installed.note);
      if (options.json) return terminal.json(installed);
      terminal.line(
        `${installed.agent} ${installed.version} is installed (${installed.package}, ${installed.integrity})`,
      );
    });

  return agents;
}

/** Newest first as they came; a version that is configured or tagged without being listed comes first. */
function versionRows({ configured, installed, available, tags }: AgentVersions): string[][] {
  const about = new Map<string, string[]>();
  const note = (version: string, what: string): void => {
    about.set(version, [...(about.get(version) ?? []), what]);
  };
  if (configured !== undefined) note(configured, 'configured');
  for (const { version } of installed) note(version, 'installed');
  for (const [tag, version] of Object.entries(tags)) note(version, tag);
  const listed = new Set([...available, ...installed.map(({ version }) => version)]);
  const others = [...about.keys()].filter((version) => !listed.has(version));
  return [...others, ...listed].map((version) => [version, (about.get(version) ?? []).join(', ')]);
}
