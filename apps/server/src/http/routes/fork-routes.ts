import { z } from 'zod';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { callerOf } from '../caller.ts';
import type { ControlPort } from '../control-port.ts';
import { createdSessionSchema } from '../schemas.ts';
import { absolute, mcpServers } from '../session-input.ts';
import { SESSION_ID } from './session-routes.ts';

const forkBody = z.strictObject(
  {
    cwd: absolute.optional(),
    additionalDirectories: z.array(absolute, { error: 'a list of absolute paths' }).optional(),
    mcpServers: mcpServers
      .optional()
      .describe(
        'As ACP writes them in `session/new`; those of the configuration and the workspace are there without it',
      ),
    metadata: z
      .record(z.string(), z.unknown(), { error: 'an object' })
      .optional()
      .describe('What `_meta["sandboxagent.dev"]` of session/fork takes: title, model, requestedSessionId, …'),
  },
  { error: 'an object {"cwd"?: …, "mcpServers"?: …, "metadata"?: …}' },
);

/** A session that goes on from another. */
export function forkRoutes(port: ControlPort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/fork',
      operationId: 'forkSession',
      tag: 'Driving',
      summary:
        'Make a session that goes on from the last finished turn of this one; what is left out is as this one has it',
      description:
        'As `session/fork` of ACP does: `_meta["sandboxagent.dev"].forked` of the result says who remembers what was said, the agent or a transcript. Sessions of ACP v2 cannot be forked.',
      parameters: { id: SESSION_ID },
      body: { schema: forkBody, expected: 'a JSON object, or nothing', optional: true },
      answers: [{ status: 201, description: 'The new session, ready for a prompt', schema: createdSessionSchema }],
      errors: [
        'invalid_params',
        'not_found',
        'conflict',
        'capability_missing',
        'authentication_required',
        'agent_refused',
        'agent_start_failed',
        'agent_timeout',
        'overloaded',
      ],
      async handle(call, { body }) {
        const created = await port.forkSession(call.req.param('id') ?? '', body, callerOf(call));
        const location = `/v1/sessions/${encodeURIComponent(created.session.sessionId)}`;
        return call.json(created, 201, { location });
      },
    }),
  ];
}
