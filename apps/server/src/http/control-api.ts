import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { AuditLog } from '../audit/audit-log.ts';
import type { ChangeFeed } from '../events/change-feed.ts';
import { notFound, strangerRefused } from './api-problems.ts';
import type { AnyRoute } from './api-route.ts';
import type { AppBindings } from './app.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { ControlPort } from './control-port.ts';
import type { GovernancePort } from './governance-port.ts';
import { mountRoutes } from './mount-routes.ts';
import { asksForPage } from './open-path.ts';
import { problemOf, problemResponse } from './problem.ts';
import { type AgentInstallPort, agentInstallRoutes } from './routes/agent-install-routes.ts';
import { agentRoutes } from './routes/agent-routes.ts';
import { alarmRoutes } from './routes/alarm-routes.ts';
import { auditRoutes } from './routes/audit-routes.ts';
import { boundaryRoutes } from './routes/boundary-routes.ts';
import { changeRoutes } from './routes/change-routes.ts';
import { documentRoutes, OPEN_PATHS } from './routes/document-routes.ts';
import { drivingRoutes } from './routes/driving-routes.ts';
import { governedServerRoutes } from './routes/governed-server-routes.ts';
import { grantRoutes } from './routes/grant-routes.ts';
import { policyRoutes } from './routes/policy-routes.ts';
import { previewRoutes } from './routes/preview-routes.ts';
import { requestRoutes } from './routes/request-routes.ts';
import { sandboxRoutes } from './routes/sandbox-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';

export interface ControlApiOptions {
  readonly port: ControlPort;
  /** Versions of agents; without it nothing can be installed. */
  readonly installs?: AgentInstallPort;
  /** Boundaries, MCP servers and policies; without it nothing is told of them. */
  readonly governance?: GovernancePort;
  /** Without it nothing is told of what was decided. */
  readonly audit?: AuditLog;
  /** Without it what changes is not told. */
  readonly changes?: ChangeFeed;
  /** The web console; without it the API is all there is. */
  readonly console?: ConsoleFiles;
  readonly version: string;
  readonly heartbeatMs: number;
  /** Longest body of a request. */
  readonly maxBodyBytes: number;
  /** Aborts when the server stops: streams end. */
  readonly stopping?: AbortSignal;
  /** What was thrown and not by us; the caller was given the `logId`. */
  readonly onError?: (error: unknown, logId: string) => void;
}

export interface ControlApi extends Hono<{ Bindings: AppBindings }> {}

/** The HTTP API under /v1. Callers have been let in before; every error is an RFC 9457 problem that says the next step. */
export function createControlApi(options: ControlApiOptions): ControlApi {
  const app: ControlApi = new Hono();
  app.use(async (call, next) => {
    await next();
    call.res.headers.set('x-content-type-options', 'nosniff');
    if (!call.res.headers.has('cache-control')) call.res.headers.set('cache-control', 'no-store');
  });

  // The gate has judged the path before it was read as a URL: here it is as it is served.
  app.use('/v1/*', async (call, next) => {
    const isStranger = call.env?.authenticated === false && !OPEN_PATHS.includes(call.req.path);
    return isStranger ? strangerRefused() : next();
  });
  mountRoutes(app, apiRoutes(options), options.maxBodyBytes);

  const { console: files } = options;
  if (files) {
    app.get('*', async ({ req }, next) => {
      const isPage = asksForPage(req.header('accept'));
      return (await files(req.path, req.header('accept-encoding'), isPage)) ?? next();
    });
  }

  app.notFound((call) =>
    notFound(`nothing is served at ${call.req.path.slice(0, 200)}`, 'GET /v1/docs tells what is served.'),
  );
  app.onError((error) => {
    const logId = randomUUID();
    const told = problemOf(error, logId);
    if (told.name === 'internal_error') options.onError?.(error, logId);
    return problemResponse(told);
  });
  return app;
}

function governanceRoutes(port: GovernancePort): readonly AnyRoute[] {
  return [
    ...boundaryRoutes(port),
    ...previewRoutes(port),
    ...grantRoutes(port),
    ...governedServerRoutes(port),
    ...policyRoutes(port),
  ];
}

function apiRoutes(options: ControlApiOptions): readonly AnyRoute[] {
  const { port, heartbeatMs, version } = options;
  const stopping = options.stopping ?? new AbortController().signal;
  const onStreamError = (error: unknown): void => options.onError?.(error, randomUUID());
  const logIdOf = (error: unknown): string => {
    const logId = randomUUID();
    options.onError?.(error, logId);
    return logId;
  };
  const routes = [
    ...agentRoutes(port),
    ...(options.installs ? agentInstallRoutes({ port: options.installs, logIdOf }) : []),
    ...sessionRoutes({ port, heartbeatMs, stopping, onStreamError }),
    ...drivingRoutes(port),
    ...requestRoutes(port),
    ...(options.changes ? changeRoutes({ changes: options.changes, heartbeatMs, stopping, onStreamError }) : []),
    ...(options.governance ? governanceRoutes(options.governance) : []),
    ...(options.audit ? [...alarmRoutes(options.audit), ...auditRoutes(options.audit, options.governance)] : []),
    ...sandboxRoutes(port),
  ];
  return [...routes, ...documentRoutes(routes, version)];
}
