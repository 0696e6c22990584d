import type { SandboxReport } from '@reeve/protocol';
import { createProcessHolder, egressLimitsWith, type ProcessHolder } from '@reeve/sandbox';
import type { AgentEntry } from './agents/agent-registry.ts';
import { agentEnvironment, agentSandboxSettings, type Config, containerEngine, type Environment } from './config.ts';
import type { Logger } from './diagnostics/logger.ts';

/** Tried when it is first asked for: a machine does not change under a server. */
export function onceReported(
  holder: ProcessHolder,
  { sandbox }: Config,
  env: Environment,
): () => Promise<SandboxReport> {
  const switchedOff = sandbox.backend === 'none';
  let report: Promise<SandboxReport> | undefined;
  const examine = async (): Promise<SandboxReport> => {
    const [{ surveySandbox }, { reportSandbox }] = await Promise.all([
      import('@reeve/sandbox/examine'),
      import('./doctor/report-sandbox.ts'),
    ]);
    const survey = surveySandbox(containerEngine(sandbox.container, env));
    return reportSandbox(await holder.probe(), await survey, switchedOff);
  };
  return () => {
    report ??= examine();
    report.catch(() => {
      report = undefined;
    });
    return report;
  };
}

/** The entries of the configuration as the registry takes them, each with its environment and what confines it. */
export function agentEntries(
  agents: Config['agents'],
  config: Config,
  environment: Environment,
  home: string,
): AgentEntry[] {
  return Object.entries(agents).map(([name, entry]) => {
    const { command, args, npm, sandbox } = entry;
    const env = agentEnvironment(entry, environment);
    return {
      name,
      command,
      args,
      env,
      ...(npm === undefined ? {} : { npm }),
      sandbox: agentSandboxSettings({ name, command, args, env, sandbox }, config.sandbox, home),
    };
  });
}

/** What starts agents, and confines them as the configuration says. Without a sandbox trees are held all the same. */
export function createAgentHolder({ sandbox }: Config, env: Environment, logger: Logger): ProcessHolder {
  const { backend } = sandbox;
  const container = containerEngine(sandbox.container, env);
  return createProcessHolder({
    onNotice: (notice) => logger.warn({ notice }, 'agent processes'),
    sandbox: backend === 'none' ? 'bubblewrap' : backend,
    egressLimits: egressLimitsWith(sandbox.egress ?? {}),
    ...(container === undefined ? {} : { container }),
  });
}
