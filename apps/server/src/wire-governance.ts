import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { contains } from '@reeve/policy';
import type { ProcessHolder } from '@reeve/sandbox';
import type { AuditLog } from './audit/audit-log.ts';
import { createAlarms } from './boundary/alarms.ts';
import { type Boundaries, type BoundaryAlarm, createBoundaries, PolicyError } from './boundary/boundaries.ts';
import { createConfiguredServers } from './boundary/configured-servers.ts';
import { findProject } from './boundary/find-project.ts';
import { readPolicyFiles } from './boundary/read-policy-files.ts';
import { agentEnvironment, type Config, type Environment } from './config.ts';
import type { Logger } from './diagnostics/logger.ts';
import type { PackageInstaller } from './install/package-installer.ts';
import { createCallGates } from './mcp/gate/server-call-gate.ts';
import { openPackagePins } from './mcp/launch/package-pins.ts';
import { createServerLauncher } from './mcp/launch/server-launcher.ts';
import { createMcpGateway } from './mcp/mcp-gateway.ts';
import type { RequestBroker } from './requests/request-broker.ts';
import type { GovernanceServices } from './sessions/session-governance.ts';
import type { Store } from './store/store.ts';

export interface GovernanceParts {
  readonly config: Config;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly broker: RequestBroker;
  readonly holder: ProcessHolder;
  readonly packages: PackageInstaller;
  /** Of the server's own process. */
  readonly env: Environment;
  /** HOME of the server's user. */
  readonly home: string;
  readonly version: string;
  readonly logger: Logger;
  /** Beside the webhook: for whoever looks on. */
  readonly onAlarm: (alarm: BoundaryAlarm) => void;
}

export interface WiredGovernance extends AsyncDisposable {
  readonly services: GovernanceServices;
  readonly boundaries: Boundaries;
}

/** Wires what governs sessions and their MCP servers. Nothing is left open when it rejects, which it does for policies that do not hold. */
export async function wireGovernance(parts: GovernanceParts): Promise<WiredGovernance> {
  const { config, store, audit, broker, holder, packages, env, home, version, logger } = parts;
  const { dataDir, sandbox } = config;
  const limits = { ...config.limits, ...config.timeouts };
  await using opened = new AsyncDisposableStack();
  const policies = await readPolicyFiles(config.policy.files);
  if (policies.kind === 'unreadable') throw new PolicyError(policies.problems);
  const alarms = opened.use(
    createAlarms({
      webhook: config.alarms.webhook,
      labelOf: (path) => audit.labelOf(path),
      limits,
      warn: (message, facts) => logger.warn(facts, message),
    }),
  );
  const boundaries = opened.use(
    await createBoundaries({
      store: store.grants,
      broker,
      audit,
      policies: policies.files,
      maxRemembered: config.policy.maxRemembered,
      limits,
      home,
      dataDir,
      searchPath: env.PATH ?? '',
      labelOf: (path) => audit.labelOf(path),
      onAlarm(alarm) {
        alarms.raise(alarm);
        parts.onAlarm(alarm);
      },
      onFailure: (error, what) => logger.error({ err: error }, what),
    }),
  );
  // The path of a socket is short, whatever the data directory is called.
  const socketsIn = await mkdtemp(join(tmpdir(), 'reeve-'));
  opened.defer(() => rm(socketsIn, { recursive: true, force: true }));
  const enabled = sandbox.backend !== 'none';
  const gateway = opened.use(
    createMcpGateway({
      socketsIn,
      version,
      socat: onPath('socat', env.PATH),
      launcher: createServerLauncher({
        holder,
        packages,
        pins: openPackagePins(join(dataDir, 'packages', '.pins.json')),
        enabled,
        require: sandbox.require,
        limits: Object.fromEntries(Object.entries(sandbox.limits ?? {}).filter(([, value]) => value !== undefined)),
        baseEnv: agentEnvironment({ env: {}, passEnv: [] }, env),
        closed: [home, dataDir],
        stderrTailBytes: limits.mcpStderrTailBytes,
        onEgress({ server, session }, egress) {
          const facts = { server: server.name, sessionId: session, egress };
          logger.warn(facts, 'an MCP server was not let through to the network');
          const { host, port, reason, decision } = egress;
          if (decision === 'denied' && session !== undefined)
            audit.note({ kind: 'egress.denied', session, host, port, reason });
        },
      }),
      createGate: createCallGates({ home, limits }),
      limits,
      warn: (message, facts) => logger.warn(facts, message),
    }),
  );
  const configured = createConfiguredServers({ ...config, limits, env });
  const resources = opened.move();
  return {
    boundaries,
    services: {
      boundaries,
      gateway,
      workspaces: boundariesOf(config.workspaces),
      async configuredServers({ cwd, roots, workspace }) {
        const { directory } = await findProject(cwd, home);
        const inside = roots.some((root) => contains(root, directory));
        return configured({ workspace, directories: inside ? [cwd, directory] : [cwd] });
      },
      confined: async () => enabled && (await holder.probe()).usable,
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function onPath(command: string, path = ''): string | undefined {
  return path
    .split(delimiter)
    .map((place) => join(place, command))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** What a session in each workspace may reach, where its client names no boundary of its own. */
function boundariesOf(workspaces: Config['workspaces']): GovernanceServices['workspaces'] {
  return Object.fromEntries(
    Object.entries(workspaces).map(([name, { roots, network, require }]) => [
      name,
      {
        roots: roots.map(({ path, access, name: label }) => ({
          path,
          access,
          ...(label === undefined ? {} : { name: label }),
        })),
        ...(network === undefined ? {} : { network }),
        ...(require === undefined ? {} : { require }),
      },
    ]),
  );
}
