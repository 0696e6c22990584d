import { join } from 'node:path';
import { contains } from '@reeve/policy';
import { createAlarms } from './boundary/alarms.ts';
import { type Boundaries, createBoundaries, PolicyError } from './boundary/boundaries.ts';
import { createConfiguredServers } from './boundary/configured-servers.ts';
import { findProject } from './boundary/find-project.ts';
import { readPolicyFiles } from './boundary/read-policy-files.ts';
import type { BoundaryAlarm } from './boundary/session-ground.ts';
import type { Config } from './config.ts';
import { openPackagePins } from './mcp/launch/package-pins.ts';
import { createServerPackages } from './mcp/launch/server-packages.ts';
import type { McpGateway } from './mcp/mcp-gateway.ts';
import type { RequestBroker } from './requests/request-broker.ts';
import type { GovernanceServices } from './sessions/session-governance.ts';
import type { Store } from './store/store.ts';
import type { GatewayParts } from './wire-gateway.ts';

export interface GovernanceParts extends Omit<GatewayParts, 'pins'> {
  readonly store: Store;
  readonly broker: RequestBroker;
  /** Beside the webhook: for whoever looks on. */
  readonly onAlarm: (alarm: BoundaryAlarm) => void;
}

export interface WiredGovernance extends AsyncDisposable {
  readonly services: GovernanceServices;
  readonly boundaries: Boundaries;
  /** Loads what the first session would otherwise wait for. */
  prepare(): Promise<void>;
}

/** Wires what governs sessions and their MCP servers. Nothing is left open when it rejects, which it does for policies that do not hold. */
export async function wireGovernance(parts: GovernanceParts): Promise<WiredGovernance> {
  const { config, store, audit, broker, holder, packages, env, home, logger } = parts;
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
  const pins = openPackagePins(join(dataDir, 'packages', '.pins.json'));
  const boundaries = opened.use(
    await createBoundaries({
      store: store.grants,
      broker,
      audit,
      policies: policies.files,
      maxRemembered: config.policy.maxRemembered,
      calls: config.policy.callsAfterChange,
      limits,
      home,
      dataDir,
      searchPath: env.PATH ?? '',
      labelOf: (path) => audit.labelOf(path),
      packages: createServerPackages({ installer: packages, pins }),
      onAlarm(alarm) {
        alarms.raise(alarm);
        parts.onAlarm(alarm);
      },
      onFailure: (error, what) => logger.error({ err: error }, what),
    }),
  );
  // All that speaks MCP is needed by sessions: a start is spared it.
  const loadGateway = () => import('./wire-gateway.ts');
  const gateway = opened.use(
    gatewayOnDemand(async () => {
      const { wireGateway } = await loadGateway();
      return wireGateway({ ...parts, pins });
    }),
  );
  const configured = createConfiguredServers({ ...config, limits, env });
  const resources = opened.move();
  return {
    boundaries,
    async prepare() {
      await Promise.all([boundaries.policies(), loadGateway()]);
    },
    services: {
      boundaries,
      gateway,
      workspaces: boundariesOf(config.workspaces),
      async configuredServers({ cwd, roots, workspace }) {
        const { directory } = await findProject(cwd, home);
        const inside = roots.some((root) => contains(root, directory));
        return configured({ workspace, directories: inside ? [cwd, directory] : [cwd] });
      },
      confined: async () => sandbox.backend !== 'none' && (await holder.probe()).usable,
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function gatewayOnDemand(create: () => Promise<McpGateway>): McpGateway {
  let created: Promise<McpGateway> | undefined;
  return {
    async open(request) {
      created ??= create();
      return (await created).open(request);
    },
    async [Symbol.asyncDispose]() {
      await (await created?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
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
