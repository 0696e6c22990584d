import { z } from 'zod';
import { atLeast, MiB, text, textList } from './values.ts';

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

/** Bounds of the network of each process that may reach a list of hosts; one that is not given is as packages/sandbox has it. */
const egressLimits = z.strictObject(
  {
    maxConnections: atLeast(1),
    maxHeaderBytes: atLeast(1024, 'bytes'),
    headersTimeoutMs: atLeast(100, 'milliseconds'),
    idleTimeoutMs: atLeast(100, 'milliseconds'),
    connectTimeoutMs: atLeast(100, 'milliseconds'),
    attachTimeoutMs: atLeast(100, 'milliseconds'),
    halfOpenTimeoutMs: atLeast(100, 'milliseconds'),
    maxLookups: atLeast(1),
  },
  {
    error:
      'an object of maxConnections, maxHeaderBytes, headersTimeoutMs, idleTimeoutMs, connectTimeoutMs, attachTimeoutMs, halfOpenTimeoutMs, maxLookups',
  },
);

/** Whether the operating system must hold a boundary, or it is enough to declare it. */
export const required = z.enum(['enforced', 'declared'], { error: '"enforced" or "declared"' });

/** What may be reached over the network. */
export const network = z.union(
  [z.enum(['none', 'full']), z.strictObject({ allow: z.array(z.string().min(1)).max(256) })],
  {
    error: '"none", "full" or {"allow": ["host" or "host:port", …]}',
  },
);

/** What one agent's entry says of its sandbox. */
export const agentSandbox = z.strictObject(
  {
    require: required.optional(),
    /** Shown read-only beside what its program needs. */
    readOnly: textList('paths, for example "~/models"').default([]),
    /** Files and directories that it keeps between runs, shown read-write. */
    state: textList('paths, for example "~/.my-agent"').default([]),
    network: network.optional(),
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

/** Of the whole server. */
export const sandbox = z
  .strictObject(
    {
      backend: z
        .enum(['auto', 'bubblewrap', 'container', 'none'], {
          error: '"auto", "bubblewrap", "container" or "none"',
        })
        .default('auto'),
      /** `declared`: agents may run where nothing confines them. */
      require: required.default('enforced'),
      /** Of each agent that has none of its own, and of each MCP server. */
      limits: sandboxLimits.optional(),
      egress: egressLimits.optional(),
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
