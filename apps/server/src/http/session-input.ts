import { z } from 'zod';

/*
 * What callers of the control API may say of a session. The message of each issue is what was expected there.
 */

const PATH = 'an absolute path';
export const absolute = z.string({ error: PATH }).startsWith('/', { error: PATH });
const additionalDirectories = z.array(absolute, { error: 'a list of absolute paths' });
const metadata = z.record(z.string(), z.unknown(), { error: 'an object' });
export const mcpServers = z
  .array(z.unknown(), { error: 'a list of MCP servers as session/new takes them' })
  .describe('As ACP writes them in `session/new`');

/** `POST /v1/sessions`, `POST /v1/boundaries/preview` */
export const NEW_SESSION = 'a JSON object with "cwd"';
export const newSession = z.strictObject(
  {
    agent: z.string({ error: 'the name of an agent' }).optional().describe('The default agent when left out'),
    cwd: absolute.describe('An existing directory on the server'),
    additionalDirectories: additionalDirectories.optional(),
    mcpServers: mcpServers.optional(),
    metadata: metadata
      .optional()
      .describe('What `_meta["sandboxagent.dev"]` of session/new takes: requestedSessionId, title, model, …'),
  },
  { error: 'an object {"cwd": …, "agent"?: …, "mcpServers"?: …, "metadata"?: …}' },
);

/** `POST /v1/sessions/{id}/fork` */
export const fork = z.strictObject(
  {
    cwd: absolute.optional(),
    additionalDirectories: additionalDirectories.optional(),
    mcpServers: mcpServers
      .optional()
      .describe(
        'As ACP writes them in `session/new`; those of the configuration and the workspace are there without it',
      ),
    metadata: metadata
      .optional()
      .describe('What `_meta["sandboxagent.dev"]` of session/fork takes: title, model, requestedSessionId, …'),
  },
  { error: 'an object {"cwd"?: …, "mcpServers"?: …, "metadata"?: …}' },
);
