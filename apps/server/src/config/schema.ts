import { z } from 'zod';

/**
 * What the configuration file may say, with every default. The message of each issue is what was expected there, so
 * that a problem can say "expected … , came …".
 */
const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const DAY_MS = 24 * 60 * 60 * 1000;

const text = (expected: string) => z.string({ error: expected }).min(1, { error: expected });
const textList = (expected: string) => z.array(text(expected), { error: `a list: ${expected}` });

function whole(unit: string, standard: number, low: number, high: number) {
  const error = `a whole number${unit === '' ? '' : ` of ${unit}`} from ${low} to ${high}`;
  return z.int({ error }).min(low, { error }).max(high, { error }).default(standard);
}

const bytes = (standard: number, low = 1024) => whole('bytes', standard, low, GiB);
const count = (standard: number, high = 1_000_000) => whole('', standard, 1, high);
const ms = (standard: number, low = 1) => whole('milliseconds', standard, low, DAY_MS);

const AGENT_NAME = 'an agent name: a letter or digit, then at most 63 letters, digits, spaces, "-", "_" or "."';
const PACKAGE = 'the name of a package of the npm registry, without a version';
const VARIABLE = 'the name of an environment variable: letters, digits and "_", no digit first';
const variable = z.string({ error: VARIABLE }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: VARIABLE });

const atLeast = (low: number, unit = '') => {
  const error = `a whole number${unit === '' ? '' : ` of ${unit}`}, at least ${low}`;
  return z.int({ error }).min(low, { error }).optional();
};

/** Bounds of one agent process with its descendants; one that is not given is not set. */
const sandboxLimits = z.strictObject(
  {
    memoryBytes: atLeast(16 * MiB, 'bytes'),
    processes: atLeast(8),
    fileBytes: atLeast(MiB, 'bytes'),
    openFiles: atLeast(64),
    wallMs: atLeast(1000, 'milliseconds'),
    tmpBytes: atLeast(MiB, 'bytes'),
  },
  { error: 'an object of limits: memoryBytes, processes, fileBytes, openFiles, wallMs, tmpBytes' },
);

const required = z.enum(['enforced', 'declared'], { error: '"enforced" or "declared"' });

const agentSandbox = z.strictObject(
  {
    require: required.optional(),
    /** Shown read-only beside what its program needs. */
    readOnly: textList('paths, for example "~/models"').default([]),
    /** Files and directories that it keeps between runs, shown read-write. */
    state: textList('paths, for example "~/.my-agent"').default([]),
    network: z
      .union([z.enum(['none', 'full']), z.strictObject({ allow: z.array(z.string().min(1)).max(256) })], {
        error: '"none", "full" or {"allow": ["host" or "host:port", …]}',
      })
      .optional(),
    /** Files that exist only inside, read-only. */
    files: z
      .array(z.strictObject({ path: text('a path'), text: z.string({ error: 'text' }) }), {
        error: 'a list of {"path": …, "text": …}',
      })
      .default([]),
    /** Lets it build a sandbox of its own, which is weaker. */
    nestedSandbox: z.boolean({ error: 'true or false' }).default(false),
    limits: sandboxLimits.optional(),
  },
  { error: 'an object about the sandbox of the agent' },
);

const sandbox = z
  .strictObject(
    {
      backend: z
        .enum(['auto', 'bubblewrap', 'container', 'none'], {
          error: '"auto", "bubblewrap", "container" or "none"',
        })
        .default('auto'),
      /** `declared`: agents may run where nothing confines them. */
      require: required.default('enforced'),
      /** Of each agent that has none of its own. */
      limits: sandboxLimits.optional(),
      container: z
        .strictObject(
          {
            engine: z.enum(['docker', 'podman'], { error: '"docker" or "podman"' }),
            program: text('the absolute path of its client'),
            image: text('an image that is there already'),
          },
          { error: 'an object {"engine": …, "program": …, "image": …}' },
        )
        .optional(),
    },
    { error: 'an object about the sandbox' },
  )
  .prefault({});

const limits = z
  .strictObject(
    {
      /** Longest line of an agent's stdout or of a stdio client. */
      maxLineBytes: bytes(32 * MiB),
      /** Longest body of an HTTP request. */
      maxBodyBytes: bytes(32 * MiB),
      /** Longest WebSocket message of a client. */
      maxFrameBytes: bytes(32 * MiB),
      /** What may wait in memory for one connection that reads slowly. */
      connectionQueueBytes: bytes(8 * MiB),
      /** What one agent may have written beyond what is on disk before its stdout is paused. */
      agentBacklogBytes: bytes(4 * MiB),
      /** What one agent may leave unread of its stdin before prompts are refused. */
      agentInputBytes: bytes(64 * MiB),
      /** What a WebSocket client may leave unread before it is not listened to. */
      maxUnreadBytes: bytes(16 * MiB),
      /** Inline content of one block of a prompt. */
      maxAttachmentBytes: bytes(16 * MiB, 0),
      /** Messages of one client that may wait for the answer to its `initialize`. */
      maxEarlyMessages: count(256),
      /** Session streams that one client of streamable HTTP has open. */
      maxSessionStreams: count(1024),
      maxConnections: count(1000),
      /** Sessions with an agent process. */
      maxSessionsLive: count(256),
      /** Prompts of one session that wait for its turn to end. */
      maxQueuedPrompts: count(32),
      /** How much of an agent's stderr is kept. */
      stderrTailBytes: bytes(64 * 1024),
      maxSubscribersPerSession: count(256),
      /** Requests of one session that wait for a person. */
      maxPendingRequests: count(256),
      /** How often a client whose answer was refused is asked the same again. */
      maxReoffers: whole('', 3, 0, 1000),
      /** Largest file that Reeve itself reads or writes for an agent. */
      maxFileBytes: bytes(10 * MiB),
      /** Terminals of one session that Reeve itself runs. */
      maxTerminals: count(32),
      /** Output that is kept of each, also where the agent asks for more. */
      terminalOutputBytes: bytes(MiB),
      /** JSON text of the metadata of one session. */
      maxMetadataBytes: bytes(64 * 1024),
      /** Directories in the boundary of one session. */
      maxRoots: count(64),
    },
    { error: 'an object of limits' },
  )
  .prefault({});

const timeouts = z
  .strictObject(
    {
      /** From an agent's start to its answer to `initialize`. */
      initializeMs: ms(30_000),
      sessionNewMs: ms(120_000),
      /** Silence of an agent that takes a session back, after which the next way to restore it is tried. */
      restoreMs: ms(20_000),
      /** From the cancelling of a turn to its answer, whatever the agent does; 0 waits for the agent for ever. */
      cancelMs: ms(10_000, 0),
      /** For what is asked of an agent about sessions that only it knows: its part of a list. */
      agentListMs: ms(5000),
      /** Between two heartbeats towards a client. */
      heartbeatMs: ms(15_000, 10),
      /** Silence after which a client counts as gone. */
      vanishedMs: ms(45_000, 10),
      /** From the end of an agent's stdin to SIGTERM, and from there to SIGKILL. */
      agentStopGraceMs: ms(1500, 0),
      agentStopKillMs: ms(1500, 0),
      /** From SIGTERM to the server's end, whatever still runs. */
      shutdownMs: ms(10_000),
      httpConnectionIdleMs: ms(60_000),
      /** From the beginning of an HTTP request to the end of its body. */
      bodyMs: ms(120_000, 10),
      /** After this long without a client and without a turn, a session gives its agent process back. */
      idleAgentMs: ms(1_800_000),
      /** How long a permission waits for an answer before it is rejected. 0: for ever. */
      permissionMs: ms(0, 0),
      /** The same for a question. */
      questionMs: ms(0, 0),
      /** For one question to the npm registry about a package. */
      registryMs: ms(30_000),
      /** For the installation of one version of an agent. */
      installMs: ms(300_000),
    },
    { error: 'an object of time-outs' },
  )
  .prefault({});

const agent = z.strictObject(
  {
    /** Zed writes it; nothing else is known. */
    type: z.literal('custom', { error: '"custom"' }).optional(),
    command: text('a program: a name on the PATH or a path'),
    args: z.array(z.string({ error: 'text' }), { error: 'a list of arguments' }).default([]),
    env: z
      .record(variable, z.string({ error: 'text' }), { error: 'an object of environment variables and their text' })
      .default({}),
    /** Variables of the server's own environment that the agent is given too. */
    passEnv: z.array(variable, { error: 'a list of names of environment variables' }).default([]),
    /** Where other versions of it come from. */
    npm: z
      .strictObject(
        {
          package: z
            .string({ error: PACKAGE })
            .max(214, { error: PACKAGE })
            .regex(/^(@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*$/, { error: PACKAGE }),
          /** Which program of the package, where it is not plain. */
          bin: text('the name of a program of the package').optional(),
          /** The entry's own unless told. */
          args: z.array(z.string({ error: 'text' }), { error: 'a list of arguments' }).optional(),
        },
        { error: 'an object {"package": …}' },
      )
      .optional(),
    /** What its sandbox shows and lets it reach, beside what is known of it. */
    sandbox: agentSandbox.optional(),
  },
  { error: 'an agent: {"command": …, "args": […], "env": {…}}' },
);

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
    agents: z
      .record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, { error: AGENT_NAME }), agent, {
        error: 'an object of agents by name',
      })
      .default({}),
    /** When Reeve itself serves `fs/*` and `terminal/*` to agents. */
    agentServices: z
      .enum(['when-asked', 'offer', 'always'], { error: '"when-asked", "offer" or "always"' })
      .default('when-asked'),
    sandbox,
    limits,
    timeouts,
    audit: z
      .strictObject(
        {
          /** A checkpoint is signed after so many records. */
          checkpointRecords: z
            .int({ error: 'a whole number from 1 to 100000' })
            .min(1, { error: 'a whole number from 1 to 100000' })
            .max(100_000, { error: 'a whole number from 1 to 100000' })
            .default(256),
          /** And so long after the first record that no checkpoint covers. */
          checkpointMs: z
            .int({ error: 'milliseconds: a whole number from 10 to 86400000' })
            .min(10, { error: 'milliseconds: a whole number from 10 to 86400000' })
            .max(86_400_000, { error: 'milliseconds: a whole number from 10 to 86400000' })
            .default(10_000),
        },
        { error: 'an object {"checkpointRecords": …, "checkpointMs": …}' },
      )
      .prefault({}),
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
