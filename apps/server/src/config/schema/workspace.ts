import { z } from 'zod';
import { mcpServers } from './mcp-server.ts';
import { network, required } from './sandbox.ts';
import { text } from './values.ts';

const NAME = 'the name of a workspace: a letter or digit, then at most 63 letters, digits, spaces, "-", "_" or "."';
const ROOT_NAME = 'a name: 1 to 200 characters without control characters';

const root = z.strictObject(
  {
    path: text('a directory or file: absolute, from "~", or relative to the configuration file'),
    access: z.enum(['rw', 'ro'], { error: '"rw" for reading and writing, "ro" for reading' }),
    name: z
      .string({ error: ROOT_NAME })
      .regex(/^\P{Cc}{1,200}$/u, { error: ROOT_NAME })
      .optional(),
  },
  { error: 'a root: {"path": …, "access": "rw" or "ro"}' },
);

/** A boundary with a name, and the servers of whoever works in it. */
const workspace = z.strictObject(
  {
    /** In order: the first is where work happens, so it is a directory. */
    roots: z
      .array(root, { error: 'a list of {"path": …, "access": …}' })
      .min(1, { error: 'at least one {"path": …, "access": …}' }),
    network: network.optional(),
    require: required.optional(),
    mcpServers,
  },
  { error: 'a workspace: {"roots": [{"path": …, "access": "rw"}]}' },
);

export const workspaces = z
  .record(z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, { error: NAME }), workspace, {
    error: 'an object of workspaces by name',
  })
  .default({});
