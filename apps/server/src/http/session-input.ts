import { z } from 'zod';

/*
 * What callers of the control API may say of a session. The message of each issue is what was expected there.
 */

const PATH = 'an absolute path';
export const absolute = z.string({ error: PATH }).startsWith('/', { error: PATH });
export const mcpServers = z
  .array(z.unknown(), { error: 'a list of MCP servers as session/new takes them' })
  .describe('As ACP writes them in `session/new`');

/** `POST /v1/sessions`, `POST /v1/boundaries/preview` */
export const NEW_SESSION = 'a JSON object with "cwd"';
export const newSession = z.strictObject(
  {
    agent: z.string({ error: 'the name of an agent' }).optional().describe('The default agent when left out'),
    cwd: absolute.describe('An existing directory on the server'),
    additionalDirectories: z.array(absolute, { error: 'a list of absolute paths' }).optional(),
    mcpServers: mcpServers.optional(),
    metadata: z
      .record(z.string(), z.unknown(), { error: 'an object' })
      .optional()
      .describe('What `_meta["sandboxagent.dev"]` of session/new takes: requestedSessionId, title, model, …'),
  },
  { error: 'an object {"cwd": …, "agent"?: …, "mcpServers"?: …, "metadata"?: …}' },
);
