import { z } from 'zod';

/*
 * The shapes that the control API gives, for the OpenAPI document: those of control-api/ in packages/protocol. A test holds what
 * the server really answers against them.
 */

const at = z.number().describe('Milliseconds since the epoch');
const seq = z.int().min(0).describe("Position of an event in its session's log");
const json = z.unknown();

export const healthSchema = z.object({
  status: z.enum(['ok', 'stopping']),
  version: z.string().optional(),
  pid: z.int().optional(),
  uptimeMs: z.int().optional(),
});

const holder = z.enum(['cgroup', 'prlimit', 'watchdog', 'none']);

export const sandboxSchema = z.looseObject({
  backend: z.enum(['bubblewrap', 'container', 'seatbelt', 'landlock', 'none']).describe('What is used'),
  usable: z.boolean().describe('Whether a boundary can be enforced'),
  contains: z.boolean().describe('Whether a process without a boundary at least ends with its whole tree'),
  reason: z.string().optional().describe('Why a boundary cannot be enforced'),
  nextStep: z.string().optional().describe('What to do about it'),
  backends: z.array(
    z.looseObject({
      backend: z.enum(['bubblewrap', 'container', 'seatbelt', 'landlock']),
      usable: z.boolean(),
      enforces: z.boolean().describe('Whether a boundary counts as enforced by it'),
      found: z.string().optional(),
      reason: z.string().optional(),
      nextStep: z.string().optional(),
    }),
  ),
  limits: z.record(z.string(), holder).describe('What would hold each limit under bubblewrap'),
  limitGaps: z.array(z.string()),
  systemCallFilter: z.boolean(),
  allowLists: z.boolean().describe('Whether a network rule that lists hosts can be held'),
});

export const agentSchema = z.looseObject({
  name: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  available: z.boolean(),
  problem: z.string().optional().describe('Why it is not available, and what to do'),
  default: z.boolean(),
  loginNeeded: z.literal(true).optional().describe('It refused its newest session until somebody logs in'),
});

export const agentDetailsSchema = z.looseObject({
  ...agentSchema.shape,
  initialize: json.optional().describe("The agent's own initialize result, once one was seen"),
  setup: z.looseObject({}).optional().describe('modes, models and configOptions as its newest session has them'),
});

export const agentCheckSchema = z.looseObject({
  name: z.string(),
  ok: z.boolean(),
  durationMs: z.int(),
  initialize: json.optional(),
  error: json.optional().describe('A JSON-RPC error'),
});

export const sessionSchema = z.looseObject({
  sessionId: z.string(),
  agent: z.string(),
  protocolVersion: z.int().optional().describe('The version of ACP in which every message of the session is'),
  alias: z.string().optional(),
  title: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()),
  createdAt: at,
  updatedAt: at,
  state: z.enum(['running', 'waiting', 'idle', 'dormant', 'failed', 'closed']),
  failure: z
    .object({ at, during: z.enum(['start', 'turn']), message: z.string() })
    .optional()
    .describe('Why the last start or the last turn failed; gone when a turn ends well'),
  queuedPrompts: z
    .array(
      z.object({
        id: z.string(),
        at,
        by: z.string(),
        text: z.string(),
        truncated: z.boolean().optional(),
        attachments: z.int().optional(),
      }),
    )
    .optional()
    .describe('Prompts that wait for their turn, in order'),
  lastSeq: seq,
  attached: z.int(),
  clients: z
    .array(
      z.looseObject({
        connection: z.string().optional(),
        claimed: z
          .looseObject({ name: z.string(), title: z.string().optional(), version: z.string().optional() })
          .optional()
          .describe('What the program says of itself; nothing of it is checked'),
        transport: z.enum(['websocket', 'http', 'call', 'events']),
        role: z.enum(['controller', 'observer']),
        since: at,
      }),
    )
    .optional()
    .describe('Who is attached, and who follows the events'),
  pendingRequests: z.int(),
  enforcement: z.looseObject({}).optional().describe('What holds the boundary for the agent process, with its gaps'),
  boundary: z
    .looseObject({
      roots: z.array(
        z.looseObject({
          path: z.string(),
          access: z.enum(['rw', 'ro']),
          kind: z.enum(['directory', 'file']).optional().describe('A directory unless told'),
          name: z.string().optional(),
        }),
      ),
      revision: z.int(),
      network: z.union([z.enum(['none', 'full']), z.looseObject({ allow: z.array(z.string()) })]).optional(),
      enforcement: z.looseObject({}),
    })
    .optional()
    .describe('What the session may reach; absent in sessions from before there were boundaries'),
  mcpServers: z
    .array(z.looseObject({ name: z.string(), origin: z.string(), governed: z.boolean(), state: z.string() }))
    .optional()
    .describe('How its MCP servers stand, those too that Reeve does not govern'),
  agentVersion: z
    .looseObject({ requested: z.string(), running: z.string().optional(), source: z.enum(['configured', 'installed']) })
    .optional()
    .describe('Where a version of the agent was asked for: what runs'),
});

export const sessionPageSchema = z.object({
  sessions: z.array(sessionSchema),
  nextCursor: z.string().optional(),
  incomplete: z.literal(true).optional().describe('Not all that was said is searched yet: ask again'),
});

export const createdSessionSchema = z.object({
  session: sessionSchema,
  result: z.looseObject({}).describe('What session/new gave: modes, configOptions, models and our `_meta`'),
});

export const turnSchema = z.object({
  sessionId: z.string(),
  after: seq.describe('The seq before the turn: read the events after it'),
  lastSeq: seq.describe("The seq of the session's newest event when the turn ended"),
  stopReason: z.string().optional(),
  text: z
    .string()
    .optional()
    .describe("The agent's own message, its chunks joined; absent where the turn ran before, under the same key"),
  truncated: z.boolean().optional().describe('The message was longer: read the events for all of it'),
  result: json.describe('The JSON-RPC result of session/prompt; in a session of ACP v2 it has the `messageId`'),
});

export const changedMetadataSchema = z.object({
  metadata: z.looseObject({}),
  applied: z
    .looseObject({})
    .optional()
    .describe('For each choice that was brought to the agent, by which way, as in `_meta` of `session/new`'),
});

export const acceptedTurnSchema = z.object({ sessionId: z.string(), after: seq });

export const eventPageSchema = z.object({
  events: z.array(
    z.looseObject({
      seq,
      at,
      source: z.enum(['agent', 'client', 'reeve']),
      kind: z.enum(['update', 'prompt', 'turn_end', 'request', 'response', 'command', 'note']),
      connection: z.string().optional(),
      message: json.describe('The message as it crossed the wire'),
    }),
  ),
  nextAfter: seq,
  hasMore: z.boolean(),
});

const questionSchema = z.looseObject({
  prompt: z.string(),
  options: z.array(z.looseObject({ id: z.string(), label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean(),
  freeText: z.boolean(),
});

export const requestSchema = z.looseObject({
  id: z.string(),
  sessionId: z.string(),
  kind: z.string(),
  method: z.string(),
  rpcId: z
    .union([z.string(), z.number(), z.null()])
    .optional()
    .describe("Of the agent's own request, as the log has it"),
  params: json.describe("Of the agent's own request"),
  question: questionSchema
    .optional()
    .describe('What it asks, whichever method asked; absent where it is not one question'),
  createdAt: at,
  state: z.looseObject({ kind: z.enum(['pending', 'answered', 'cancelled', 'void']) }),
});

/** RFC 9457; `name`, `code` and `next` are those of the table of errors. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  name: z.string(),
  code: z.int(),
  next: z.string().describe('What to do'),
  data: z.looseObject({}).optional(),
});
