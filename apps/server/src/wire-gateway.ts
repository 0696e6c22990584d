import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ProcessHolder } from '@reeve/sandbox';
import type { AuditLog } from './audit/audit-log.ts';
import { ownPlaces } from './boundary/own-places.ts';
import { agentEnvironment, type Config, type Environment } from './config.ts';
import type { Logger } from './diagnostics/logger.ts';
import type { PackageInstaller } from './install/package-installer.ts';
import { createCallGates } from './mcp/gate/server-call-gate.ts';
import type { PackagePins } from './mcp/launch/package-pins.ts';
import { createServerLauncher } from './mcp/launch/server-launcher.ts';
import { createMcpGateway, type McpGateway } from './mcp/mcp-gateway.ts';
import { openSocketDirectory } from './mcp/socket-directory.ts';

export interface GatewayParts {
  readonly config: Config;
  readonly audit: AuditLog;
  readonly holder: ProcessHolder;
  readonly packages: PackageInstaller;
  readonly pins: PackagePins;
  /** Of the server's own process. */
  readonly env: Environment;
  /** HOME of the server's user. */
  readonly home: string;
  readonly version: string;
  readonly logger: Logger;
}

/** Wires what stands between agents and MCP servers. Nothing is left open when it rejects. */
export async function wireGateway(parts: GatewayParts): Promise<McpGateway> {
  const { config, audit, holder, packages, pins, env, home, version, logger } = parts;
  const { dataDir, sandbox } = config;
  const limits = { ...config.limits, ...config.timeouts };
  await using opened = new AsyncDisposableStack();
  // The path of a socket is short, whatever the data directory is called.
  const { path: socketsIn } = opened.use(await openSocketDirectory(tmpdir()));
  const gateway = opened.use(
    createMcpGateway({
      socketsIn,
      version,
      socat: onPath('socat', env.PATH),
      launcher: createServerLauncher({
        holder,
        packages,
        pins,
        enabled: sandbox.backend !== 'none',
        require: sandbox.require,
        limits: Object.fromEntries(Object.entries(sandbox.limits ?? {}).filter(([, value]) => value !== undefined)),
        baseEnv: agentEnvironment({ env: {}, passEnv: [] }, env),
        closed: [home, dataDir],
        hidden: ownPlaces(dataDir),
        stderrTailBytes: limits.mcpStderrTailBytes,
        onEgress({ server, session, work }, egress) {
          const facts = { server: server.name, sessionId: session, egress };
          logger.warn(facts, 'an MCP server was not let through to the network');
          const { host, port, reason, decision } = egress;
          if (decision === 'denied' && session !== undefined)
            work(() => audit.note({ kind: 'egress.denied', session, host, port, reason }));
        },
      }),
      createGate: createCallGates({ home, limits }),
      limits,
      warn: (message, facts) => logger.warn(facts, message),
    }),
  );
  const resources = opened.move();
  return { open: (request) => gateway.open(request), [Symbol.asyncDispose]: () => resources.disposeAsync() };
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
