import { z } from 'zod';
import { requestSchema } from './schemas.ts';

/*
 * The shapes that the control API gives of boundaries, servers and policies, for the OpenAPI document: those of boundary-info.ts,
 * governed-server-info.ts and policy-info.ts in packages/protocol.
 */

const at = z.number().describe('Milliseconds since the epoch');
const access = z.enum(['rw', 'ro']);
const scope = z.enum(['session', 'project', 'always']);
const network = z.union([z.enum(['none', 'full']), z.looseObject({ allow: z.array(z.string()) })]);
const root = z.looseObject({
  path: z.string(),
  access,
  kind: z.enum(['directory', 'file']).optional().describe('A directory unless told'),
  name: z.string().optional(),
});

export const workspaceSchema = z.looseObject({
  name: z.string(),
  roots: z.array(root).describe('In order: the first is where work happens'),
  network: network.optional(),
  require: z.enum(['enforced', 'declared']).optional(),
  mcpServers: z.array(z.string()).describe('Names of the MCP servers that it brings'),
});

const standingSchema = z.looseObject({
  root,
  state: z.enum(['granted', 'undecided', 'denied', 'lost']),
  access: z.enum(['rw', 'ro', 'none']).describe('What the server may use it for'),
  risks: z.array(z.string()),
  highRisk: z.boolean(),
  inProject: z.boolean(),
  policies: z.array(z.string()).describe('Ids of the policies that decided'),
  grant: z.string().optional().describe('The grant that it rests on'),
  only: z.array(z.string()).optional().describe('All of it that the server has: its command line names no more of it'),
  why: z.string().optional().describe('Why no approval can give it to a server, and what to do instead'),
});

export const boundarySchema = z.looseObject({
  sessionId: z.string(),
  revision: z.int(),
  roots: z.array(root),
  lost: z.array(z.string()).optional().describe('Paths of roots that are not what was approved any more'),
  network: network.optional(),
  require: z.enum(['enforced', 'declared']).optional(),
  live: z.boolean().describe('The session is in memory: changes are carried out at once'),
  risks: z
    .array(z.looseObject({ path: z.string(), risks: z.array(z.string()), highRisk: z.boolean() }))
    .optional()
    .describe('What each root is; none of what is gone'),
  servers: z.array(z.looseObject({ name: z.string(), roots: z.array(standingSchema) })),
});

export const changedBoundarySchema = z.looseObject({
  kind: z.enum(['changed', 'unchanged']),
  revision: z.int(),
  roots: z.array(root),
  network: network.optional(),
  servers: z
    .array(
      z.looseObject({
        server: z.string(),
        result: z.enum(['unaffected', 'told', 'gone', 'unverified', 'failed']),
        detail: z.string().optional(),
      }),
    )
    .describe('What became of the change at each server; `gone`: found out from inside its sandbox'),
});

export const requestedRootSchema = z.looseObject({
  granted: z.array(z.string()).describe('Servers that have it, without anybody being asked'),
  requests: z.array(z.looseObject({ server: z.string(), request: z.string() })),
});

export const grantSchema = z.looseObject({
  id: z.string(),
  decision: z.enum(['allow', 'deny']),
  server: z.string().describe('Fingerprint'),
  serverName: z.string(),
  path: z.string(),
  access,
  scope,
  session: z.string().optional(),
  project: z.string().optional(),
  by: z.string(),
  at,
  expiresAt: at.optional(),
});

export const pathCheckSchema = z.looseObject({
  path: z.string(),
  canonical: z.string().optional().describe('Where it leads, links followed'),
  agent: z.enum(['rw', 'ro', 'none']),
  root: root.optional(),
  lost: z.literal(true).optional().describe('The root around it is not what was approved any more'),
  needed: z.string().optional().describe('Where it lies outside: the directory that would have to be a root'),
  protected: z.string().optional().describe('What decides which programs run: nobody in a session writes there'),
  servers: z.array(
    z.looseObject({
      server: z.string(),
      access: z.enum(['rw', 'ro', 'none']),
      state: z.enum(['granted', 'undecided', 'denied', 'lost', 'outside']),
      why: z.string().optional().describe('Why no approval can give it to the server, and what to do instead'),
    }),
  ),
  reason: z.string().optional(),
  next: z.string().optional().describe('What to do about it'),
});

export const governedServerSchema = z.looseObject({
  sessionId: z.string(),
  name: z.string(),
  origin: z.enum(['client', 'configuration', 'workspace', 'agent']),
  governed: z.boolean().describe('Whether it is reached through Reeve'),
  state: z.enum(['waiting', 'refused', 'starting', 'running', 'restarting', 'failed', 'stopped', 'unknown']),
  fingerprint: z.string().optional(),
  roots: z.array(root).optional(),
  revision: z.int().optional(),
  enforcement: z.looseObject({}).optional(),
  lastError: z.string().optional(),
  from: z.string().optional().describe('Where an ungoverned one comes from: a file, or `client`'),
  alsoIn: z
    .array(z.string())
    .optional()
    .describe('Other files in which the agent finds one of this name, which it may start past Reeve'),
  identity: z
    .looseObject({
      name: z.string(),
      fingerprint: z.string(),
      origin: z.enum(['client', 'configuration', 'workspace', 'agent']),
      transport: z.enum(['stdio', 'http', 'sse']),
      command: z.string().optional(),
      args: z.array(z.string()).optional(),
      variables: z.array(z.string()).optional().describe('Names of the variables that it is declared with'),
      package: z
        .looseObject({
          kind: z
            .enum(['pinned', 'resolved', 'unresolved', 'unpinned'])
            .describe('Pinned: this archive runs; resolved: approving the server pins it; else there is none yet'),
          registry: z.enum(['npm', 'pypi']),
          spec: z.string().describe('As the command names it'),
          name: z.string(),
          version: z.string().optional(),
          integrity: z.string().optional().describe('Of the archive: sha512- and base64'),
          why: z.string().optional(),
        })
        .optional()
        .describe('What its command fetches before it runs'),
      network: network.optional().describe('What its process may reach'),
      url: z.string().optional().describe('Without user part, query and fragment'),
      local: z.boolean().describe('Runs on this machine, started by Reeve'),
      sandboxed: z.boolean().describe('The operating system confines it to its roots'),
      changed: z.boolean().describe('Another one was approved under this name before'),
      claimed: z.looseObject({ name: z.string(), version: z.string() }).optional().describe('What it says it is'),
    })
    .optional()
    .describe('Who it is, whole, as its reviews show it; only where it is governed'),
  tools: z
    .looseObject({
      total: z.int(),
      readOnly: z.int(),
      destructive: z.int(),
      openWorld: z.int(),
      trusted: z.boolean().describe('What it says of its tools is believed'),
    })
    .optional()
    .describe('How many tools it has by what it says of them; known once it has run'),
  requests: z.array(z.string()).describe('What waits for a person about it'),
});

export const serverApprovalSchema = z.looseObject({
  id: z.string(),
  decision: z.enum(['allow', 'deny']),
  fingerprint: z.string(),
  serverName: z.string(),
  scope,
  session: z.string().optional(),
  project: z.string().optional(),
  trusted: z.boolean(),
  network,
  by: z.string(),
  at,
  expiresAt: at.optional(),
});

export const decidedServersSchema = z.object({
  requests: z.array(requestSchema),
  changed: z.array(z.string()).describe('Sessions in which it was decided though nobody was asked'),
});

export const serverDetailsSchema = z.looseObject({
  ...governedServerSchema.shape,
  approvals: z.array(serverApprovalSchema),
  reviews: z.array(z.looseObject({ request: z.string(), params: z.unknown() })),
  stderrTail: z.string().optional().describe('The last it printed; as it came, so not to be trusted'),
});

const policySchema = z.looseObject({
  id: z.string(),
  reason: z.string().optional(),
  effect: z.enum(['permit', 'forbid']),
  file: z.string(),
  line: z.int(),
  text: z.string().describe('Cedar'),
});

export const policiesSchema = z.looseObject({
  hash: z.string().describe('Two sets with the same hash decide the same'),
  policies: z.array(policySchema),
});

export const policyCheckSchema = z.looseObject({
  ok: z.boolean(),
  hash: z.string().optional(),
  problems: z.array(
    z.looseObject({
      kind: z.enum(['error', 'warning']),
      file: z.string(),
      line: z.int(),
      column: z.int(),
      message: z.string(),
      next: z.string(),
    }),
  ),
});

export const explanationSchema = z.looseObject({
  decision: z.looseObject({ outcome: z.enum(['allow', 'deny', 'ask_user', 'ask_admin']) }),
  words: z.string().describe('For a person'),
  steps: z.array(z.looseObject({ approval: z.string(), allowed: z.boolean() })),
  differences: z.array(z.looseObject({ fact: z.string(), outcome: z.string() })),
});
