import type { SandboxReport } from '@reeve/protocol';
import { createProcessHolder, egressLimitsWith, type ProcessHolder } from '@reeve/sandbox';
import { refusalReason } from './agents/agent-launch.ts';
import { AgentPool } from './agents/agent-pool.ts';
import type { AgentEntry, AgentRegistry } from './agents/agent-registry.ts';
import { createAgentSandbox } from './agents/agent-sandbox.ts';
import type { Audit } from './audit/audit-fact.ts';
import { ownPlaces } from './boundary/own-places.ts';
import { agentEnvironment, agentSandboxSettings, type Config, containerEngine, type Environment } from './config.ts';
import type { Logger } from './diagnostics/logger.ts';
import type { PackageInstaller } from './install/package-installer.ts';

export interface AgentPoolParts {
  readonly config: Config;
  readonly registry: AgentRegistry;
  readonly holder: ProcessHolder;
  readonly packages: PackageInstaller;
  /** Of the user for whom agents work. */
  readonly home: string;
  /** Agents are told that files and terminals are served. */
  readonly offersServices: boolean;
  readonly audit: Audit;
  readonly logger: Logger;
}

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
export function createAgentHolder({ sandbox, limits }: Config, env: Environment, logger: Logger): ProcessHolder {
  const { backend } = sandbox;
  const container = containerEngine(sandbox.container, env);
  return createProcessHolder({
    onNotice: (notice) => logger.warn({ notice }, 'agent processes'),
    sandbox: backend === 'none' ? 'bubblewrap' : backend,
    egressLimits: egressLimitsWith(sandbox.egress ?? {}),
    gitSearch: {
      maxDirectories: limits.maxGitDirectories,
      maxNames: limits.maxGitNames,
      maxPlaces: limits.maxGitPlaces,
    },
    ...(container === undefined ? {} : { container }),
  });
}

/** The agents that run, each confined as the configuration says. */
export function createAgentPool(parts: AgentPoolParts): AgentPool {
  const { config, registry, holder, packages, home, offersServices, audit, logger } = parts;
  const { dataDir, limits, timeouts } = config;
  return new AgentPool(registry, {
    holder,
    sandbox: createAgentSandbox({
      dataDir,
      hidden: ownPlaces(dataDir),
      home,
      enabled: config.sandbox.backend !== 'none',
    }),
    limits: {
      maxLineBytes: limits.maxLineBytes,
      stderrTailBytes: limits.stderrTailBytes,
      initializeMs: timeouts.initializeMs,
      stopGraceMs: timeouts.agentStopGraceMs,
      stopKillMs: timeouts.agentStopKillMs,
    },
    offersServices,
    packages,
    onProgress: (agent, progress) => logger.info({ agent, ...progress }, 'another version of an agent'),
    onNoise: (agent, what) => logger.debug({ agent, what }, 'an agent printed what is no message'),
    onRefused: (agent, error) =>
      audit.note({ kind: 'agent.refused', decision: 'deny', agent, reason: refusalReason(error), roots: [] }),
    onEgress: (agent, egress) => logger.warn({ agent, egress }, 'an agent was not let through to the network'),
  });
}
