import { z } from 'zod';
import { type agent, agents } from './schema/agent.ts';
import { audit } from './schema/audit.ts';
import { alarms, policy } from './schema/governance.ts';
import { limits } from './schema/limits.ts';
import { type mcpServer, mcpServers } from './schema/mcp-server.ts';
import { sandbox } from './schema/sandbox.ts';
import { timeouts } from './schema/timeouts.ts';
import { text, textList } from './schema/values.ts';
import { workspaces } from './schema/workspace.ts';

/**
 * What the configuration file may say, with every default. The message of each issue is what was expected there, so
 * that a problem can say "expected … , came …".
 */
export const configSchema = z.strictObject(
  {
    $schema: z.string({ error: 'text' }).optional(),
    host: text('a host name or IP address').default('127.0.0.1'),
    /** 0: any free port. */
    port: z
      .int({ error: 'a port: a whole number from 0 to 65535' })
      .min(0, { error: 'a port: a whole number from 0 to 65535' })
      .max(65535, { error: 'a port: a whole number from 0 to 65535' })
      .default(7433),
    dataDir: text('a directory'),
    /** `memory` keeps nothing over a restart: for trials and measurements. */
    store: z.enum(['sqlite', 'memory'], { error: '"sqlite" or "memory"' }).default('sqlite'),
    auth: z.enum(['token', 'none'], { error: '"token" or "none"' }).default('token'),
    /** Names beside the address itself that a `Host` header may carry. */
    allowedHosts: textList('host names, for example "reeve.example.org"').default([]),
    /** Origins beside the server's own whose pages may call it. */
    allowedOrigins: textList('origins, for example "https://console.example.org"').default([]),
    tls: z
      .strictObject(
        { certFile: text('a PEM file'), keyFile: text('a PEM file') },
        { error: 'an object {"certFile": …, "keyFile": …}' },
      )
      .optional(),
    /** For clients that name no agent. */
    defaultAgent: text('the name of an agent').optional(),
    agents,
    /** When Reeve itself serves `fs/*` and `terminal/*` to agents. */
    agentServices: z
      .enum(['when-asked', 'offer', 'always'], { error: '"when-asked", "offer" or "always"' })
      .default('when-asked'),
    sandbox,
    workspaces,
    /** Of every session. */
    mcpServers,
    /** Whether servers that `.mcp.json` and `.vscode/mcp.json` of a workspace name are put to a person, or not looked at. */
    workspaceServers: z.enum(['propose', 'ignore'], { error: '"propose" or "ignore"' }).default('propose'),
    policy,
    alarms,
    limits,
    timeouts,
    audit,
    log: z
      .strictObject(
        {
          level: z
            .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'], {
              error: 'one of silent, fatal, error, warn, info, debug, trace',
            })
            .default('info'),
        },
        { error: 'an object {"level": …}' },
      )
      .prefault({}),
  },
  { error: 'an object' },
);

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedAgent = z.output<typeof agent>;
export type ParsedMcpServer = z.output<typeof mcpServer>;

/** The keys that an object at `path` may have, for "did you mean"; undefined where any key may stand. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] | undefined {
  let schema: unknown = configSchema;
  for (const step of path) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodObject) schema = schema.shape[String(step)];
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else return undefined;
  }
  schema = unwrap(schema);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
}

/** What stands at `path` when the file says nothing there; undefined where there is no default. */
export function defaultAt(path: readonly PropertyKey[]): unknown {
  let value: unknown = configSchema.parse({ dataDir: '-' });
  if (path.length === 1 && path[0] === 'dataDir') return undefined;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodPrefault) {
    inner = inner.def.innerType;
  }
  return inner;
}
