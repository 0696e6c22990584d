import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentInfo } from '@reeve/protocol';
import { type Connections, createConnections } from './acp/connections.ts';
import { createStreamableHttp } from './acp/streamable-http.ts';
import { createWebSocketAcp } from './acp/websocket.ts';
import { createAgentRegistry } from './agents/agent-registry.ts';
import { agentsByInstall } from './agents/agents-by-install.ts';
import { type SandboxSummary, summarizeSandbox } from './agents/sandbox-summary.ts';
import { openAuditKeys } from './audit/audit-keys.ts';
import { openAuditLog } from './audit/audit-log.ts';
import { underOwnTrace } from './audit/trace-scope.ts';
import { ownPlaces } from './boundary/own-places.ts';
import { agentEnvironment, type Config, type Environment, knownAgents, ownEnvironment } from './config.ts';
import { createLogger, describeError, type Logger } from './diagnostics/logger.ts';
import { ChangeFeed } from './events/change-feed.ts';
import { EventFeed } from './events/event-feed.ts';
import { CONSOLE_PATHS, consoleFiles, isConsolePage } from './http/console-files.ts';
import { createControlApi } from './http/control-api.ts';
import { startListener } from './http/listener.ts';
import { OPEN_PATHS } from './http/routes/document-routes.ts';
import { createServerControl, reportAgent } from './http/server-control.ts';
import { announceServer } from './http/server-file.ts';
import { createServerGovernance } from './http/server-governance.ts';
import { createStreamSockets } from './http/stream-sockets.ts';
import { noticeOf, tellChanges } from './http/tell-changes.ts';
import { loadToken } from './http/token-file.ts';
import { PackageInstaller } from './install/package-installer.ts';
import { indexSessions } from './sessions/index-sessions.ts';
import { createLocalServices } from './sessions/local-services.ts';
import { SessionDirectory } from './sessions/session-directory.ts';
import type { Store } from './store/store.ts';
import { agentEntries, createAgentHolder, createAgentPool, onceReported } from './wire-agents.ts';
import { wireGovernance } from './wire-governance.ts';
import { wireRequests } from './wire-requests.ts';

export interface RunningServer extends AsyncDisposable {
  /** Where clients on this machine reach it, without a final slash. */
  readonly url: string;
  /** Undefined where `auth` is `none`. */
  readonly token: string | undefined;
  readonly agents: readonly AgentInfo[];
  /** What holds agents in their boundaries. */
  readonly sandbox: SandboxSummary;
  /** Ends turns, agents and connections, writes everything down. Idempotent; whoever calls keeps the deadline. */
  stop(reason: string): Promise<void>;
}

export interface ServerOptions {
  /** The environment that agents are given a part of; the server's own when left out. */
  readonly env?: Environment;
  readonly logger?: Logger;
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** One embedded store has one server: its lock sees to that, and a restart takes its own leases back. */
const EMBEDDED_OWNER = 'embedded';

/** What sessions need is loaded when a start is over; a session that comes sooner loads it itself. */
const PREPARE_AFTER_MS = 500;

/** Wires the rooms together over an open store, which it owns from now on, and begins to listen. Nothing is left open when it rejects. */
export async function wireServer(config: Config, store: Store, options: ServerOptions): Promise<RunningServer> {
  const logger = options.logger ?? createLogger(config.log.level);
  await using opened = new AsyncDisposableStack();

  opened.use(store);
  const env = options.env ?? ownEnvironment();
  const { dataDir, timeouts } = config;
  const userHome = env.HOME || homedir();
  await using processes = new AsyncDisposableStack();
  const holder = processes.use(createAgentHolder(config, env, logger));
  const probing = config.sandbox.backend === 'none' ? undefined : holder.probe();
  const packages = processes.use(new PackageInstaller({ dataDir, holder, env, limits: timeouts }));
  const registry = createAgentRegistry(agentEntries(config.agents, config, env, userHome), config.defaultAgent);
  const missing = registry.list().filter((entry) => !reportAgent(entry, undefined).available);
  const others = agentEntries(knownAgents(), config, env, userHome).filter(({ name }) => !registry.find(name));
  const byInstall = agentsByInstall([...missing, ...others], registry, packages);
  const registering = byInstall.register();
  for (const begun of [probing, registering]) begun?.catch(() => {}); // Awaited below; meanwhile something else may fail first.
  const audit = opened.use(
    await openAuditLog({
      store: store.audit,
      keys: await openAuditKeys(join(config.dataDir, 'audit')),
      home: homedir(),
      stateDirectory: config.dataDir,
      version,
      ...config.audit,
      onFailure: (error, what) => logger.error({ err: error }, what),
    }),
  );
  opened.use(processes.move()); // Begun before the audit log is open, ended before it is closed.
  const token = config.auth === 'none' ? undefined : await requireToken(config.dataDir);
  await registering;
  const local = createLocalServices({
    holder,
    when: config.agentServices,
    hidden: ownPlaces(dataDir),
    env: agentEnvironment({ env: {}, passEnv: [] }, env),
    limits: { ...config.limits, stopKillMs: config.timeouts.agentStopKillMs },
    rpcErrorOf: describeError(logger),
  });
  if (!local) logger.info('files and terminals are not served by Reeve itself on this system: it has no /proc');
  const offersServices = local !== undefined && config.agentServices !== 'when-asked';
  const agents = opened.use(
    createAgentPool({ config, registry, holder, packages, home: userHome, offersServices, audit, logger }),
  );
  const changes = new ChangeFeed();
  const feed = new EventFeed();
  const { requests, broker } = await wireRequests({ config, store: store.requests, audit, changes, logger });
  const governance = opened.use(
    await wireGovernance({
      ...{ config, store, audit, broker, holder, packages, env, home: userHome, version, logger },
      onAlarm: (alarm) => changes.publish({ kind: 'alarm', alarm: noticeOf(alarm) }),
    }),
  );
  const directory = new SessionDirectory({
    log: store.events,
    feed,
    store: store.sessions,
    requests,
    broker,
    audit,
    agents,
    local,
    boundaryRules: { maxRoots: config.limits.maxRoots, dataDir },
    governance: governance.services,
    limits: { ...config.limits, ...config.timeouts },
    owner: EMBEDDED_OWNER,
    rpcErrorOf: describeError(logger),
    warn: (message, facts) => logger.warn(facts, message),
  });

  const connections = createConnections(directory, {
    maxConnections: config.limits.maxConnections,
    maxEarlyMessages: config.limits.maxEarlyMessages,
    version,
  });
  const stopping = new AbortController();
  const acp = acpTransports(config, connections, logger);
  const control = createServerControl({
    directory,
    registry,
    agents,
    version,
    installable: byInstall.missing,
    isStopping: () => stopping.signal.aborted,
    sandbox: onceReported(holder, config, env),
    search: indexSessions({ log: store.events, store: store.sessions, index: store.search }),
  });
  opened.use(
    tellChanges({
      feed,
      changes,
      session: control.session,
      onError: (error) => logger.error({ err: error }, 'what changed could not be told'),
    }),
  );
  const { require } = config.sandbox;
  const sandbox = summarizeSandbox(await probing, require);
  // That nothing confines them was chosen, or else none is started.
  if (!sandbox.enforced) logger[require === 'declared' ? 'info' : 'warn'](sandbox.text);
  const app = createControlApi({
    port: control,
    installs: {
      find: (name) => registry.find(name) ?? byInstall.find(name),
      versions: agents.versions,
      onInstalled: byInstall.register,
    },
    governance: createServerGovernance({
      directory,
      boundaries: governance.boundaries,
      workspaces: config.workspaces,
      policyFiles: config.policy.files,
      sandbox: control.sandbox,
      maxListedDirectories: config.limits.maxListedDirectories,
    }),
    audit,
    changes,
    console: consoleFiles(fileURLToPath(new URL('../../console/dist', import.meta.url))),
    version,
    maxBodyBytes: config.limits.maxBodyBytes,
    heartbeatMs: config.timeouts.heartbeatMs,
    stopping: stopping.signal,
    onError: (error, logId) => logger.error({ err: error, logId }, 'a request to the control API failed'),
  });
  const listener = await startListener({
    host: config.host,
    port: config.port,
    bodyMs: config.timeouts.bodyMs,
    tls: config.tls && { cert: await readFile(config.tls.certFile), key: await readFile(config.tls.keyFile) },
    rules: {
      token,
      boundHost: config.host,
      allowedHosts: config.allowedHosts,
      allowedOrigins: config.allowedOrigins,
      openPaths: [...OPEN_PATHS, ...CONSOLE_PATHS],
      isPage: isConsolePage,
    },
    acp: acp.http,
    upgrade: (request, socket, head) => acp.webSocket.upgrade(request, socket, head, agentOfUrl(request.url)),
    streams: createStreamSockets({ app, patience: config.timeouts }),
    app,
    onError: (error) => logger.error({ err: error }, 'a connection failed'),
  });
  const discovery = await announceServer(config.dataDir, listener.url, token);
  const preparing = setTimeout(() => {
    governance.prepare().catch((error: unknown) => logger.error({ err: error }, 'nothing was prepared for a session'));
  }, PREPARE_AFTER_MS);
  opened.defer(() => clearTimeout(preparing));
  const resources = opened.move();

  let stopped: Promise<void> | undefined;
  const stop = (reason: string): Promise<void> => {
    stopped ??= underOwnTrace(async () => {
      logger.info({ reason }, 'stopping');
      stopping.abort();
      await discovery.remove();
      await directory.shutdown();
      acp.http.closeAll(reason);
      acp.webSocket.closeAll(reason);
      await listener.close(500);
      await resources.disposeAsync();
    });
    return stopped;
  };
  logger.info({ url: listener.url, agents: registry.list().map(({ name }) => name), store: config.store }, 'listening');
  return {
    url: listener.url,
    token,
    agents: registry.list().map((entry) => reportAgent(entry, registry.defaultAgent)),
    sandbox,
    stop,
    [Symbol.asyncDispose]: () => stop('disposed'),
  };
}

function acpTransports({ limits, timeouts }: Config, { accept }: Connections, logger: Logger) {
  return {
    http: createStreamableHttp({
      accept,
      limits,
      timeouts: {
        heartbeatMs: timeouts.heartbeatMs,
        connectionIdleMs: timeouts.httpConnectionIdleMs,
        bodyMs: timeouts.bodyMs,
      },
      onError: (error) => logger.error({ err: error }, 'an ACP request over HTTP failed'),
    }),
    webSocket: createWebSocketAcp({
      accept,
      maxFrameBytes: limits.maxFrameBytes,
      maxUnreadBytes: limits.maxUnreadBytes,
      heartbeatMs: timeouts.heartbeatMs,
      vanishedMs: timeouts.vanishedMs,
    }),
  };
}

function agentOfUrl(url: string | undefined): string | undefined {
  return new URLSearchParams((url ?? '').split('?')[1] ?? '').get('agent') ?? undefined;
}

async function requireToken(dataDir: string): Promise<string> {
  const result = await loadToken(dataDir);
  if (result.kind === 'ready') return result.token;
  throw new Error(`${result.path}: ${result.detail}. ${result.next}`);
}
