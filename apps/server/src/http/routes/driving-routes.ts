import { z } from 'zod';
import { type AnyRoute, apiRoute, type Call } from '../api-route.ts';
import { callerOf } from '../caller.ts';
import type { ControlPort } from '../control-port.ts';
import { problem, problemResponse } from '../problem.ts';
import { acceptedTurnSchema, changedMetadataSchema, createdSessionSchema, turnSchema } from '../schemas.ts';
import { absolute, mcpServers, NEW_SESSION, newSession } from '../session-input.ts';
import { SESSION_ID } from './session-routes.ts';

const tag = 'Driving';
const parameters = { id: SESSION_ID };

const about = { filename: z.string().max(1024).optional(), mimeType: z.string().max(256).optional() };
const ATTACHMENT = 'an attachment: one of "path", "uri", "text" and "data" (base64), with "filename" and "mimeType"';
const attachment = z.union(
  [
    z.strictObject({ ...about, path: absolute }),
    z.strictObject({ ...about, uri: z.url() }),
    z.strictObject({ ...about, text: z.string() }),
    z.strictObject({ ...about, data: z.base64() }),
  ],
  { error: ATTACHMENT },
);

const PATCH = 'a JSON object: the members to change';
const PROMPT = 'text, or a list of ACP content blocks';
const KEY = 'text of 1 to 256 characters';
const newTurn = z.strictObject(
  {
    prompt: z.union(
      [
        z.string().min(1, { error: PROMPT }),
        z.array(z.looseObject({ type: z.string({ error: PROMPT }) }, { error: PROMPT })).min(1, { error: PROMPT }),
      ],
      { error: PROMPT },
    ),
    attachments: z.array(attachment).optional(),
    idempotencyKey: z
      .string({ error: KEY })
      .min(1, { error: KEY })
      .max(256, { error: KEY })
      .optional()
      .describe('The same key never runs twice'),
    whenBusy: z.enum(['queue', 'refuse'], { error: '"queue" or "refuse"' }).optional(),
    wait: z
      .boolean({ error: 'true or false' })
      .default(true)
      .describe('Answer when the turn has ended; otherwise at once, and the turn is followed by its events'),
    mcpServers: mcpServers.optional().describe('Given to the agent if it must be started again'),
  },
  { error: 'an object {"prompt": …, "wait"?: …, "idempotencyKey"?: …}' },
);

/** Sessions driven by HTTP alone. */
export function drivingRoutes(port: ControlPort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'POST',
      path: '/v1/sessions',
      operationId: 'createSession',
      tag,
      summary: 'Create a session',
      body: { schema: newSession, expected: NEW_SESSION },
      answers: [{ status: 201, description: 'The session, ready for a prompt', schema: createdSessionSchema }],
      errors: [
        'invalid_params',
        'authentication_required',
        'agent_refused',
        'agent_start_failed',
        'agent_timeout',
        'overloaded',
      ],
      async handle(call, { body }) {
        const created = await port.createSession(body, callerOf(call));
        const location = `/v1/sessions/${encodeURIComponent(created.session.sessionId)}`;
        return call.json(created, 201, { location });
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/prompt',
      operationId: 'prompt',
      tag,
      summary: 'Send a prompt, and wait for the end of its turn unless told otherwise',
      description:
        'A session without a process gets one first. The turn goes on if the caller leaves. What the agent asks of a person meanwhile is at `GET /v1/requests`.',
      parameters,
      body: { schema: newTurn, expected: 'a JSON object with "prompt"' },
      answers: [
        { status: 200, description: 'The turn has ended', schema: turnSchema },
        { status: 202, description: 'The turn was begun or queued (`wait: false`)', schema: acceptedTurnSchema },
      ],
      errors: [
        'invalid_params',
        'not_found',
        'turn_in_progress',
        'queue_full',
        'outcome_unknown',
        'capability_missing',
        'message_too_large',
        'agent_refused',
        'agent_crashed',
        'agent_start_failed',
        'agent_timeout',
      ],
      async handle(call, { body: { wait, ...turn } }) {
        const begun = await port.prompt(call.req.param('id') ?? '', turn, callerOf(call));
        const { sessionId, after, finished, leave } = begun;
        if (wait) return whenFinished(call, finished, leave);
        finished.catch(() => {}); // How it ends is in the log.
        leave();
        return call.json({ sessionId, after }, 202);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/cancel',
      operationId: 'cancel',
      tag,
      summary: 'Cancel the running turn and those that wait; no error where none runs',
      parameters,
      answers: [{ status: 204, description: 'The agent was told' }],
      errors: ['not_found'],
      async handle(call) {
        await port.cancel(call.req.param('id') ?? '', callerOf(call));
        return call.body(null, 204);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/terminate',
      operationId: 'terminateSession',
      tag,
      summary: 'End the turn and the agent process now; the session stays and the next prompt starts it again',
      parameters,
      answers: [{ status: 204, description: 'No process of it is left' }],
      errors: ['not_found'],
      async handle(call) {
        await port.terminate(call.req.param('id') ?? '', callerOf(call));
        return call.body(null, 204);
      },
    }),
    apiRoute({
      method: 'PATCH',
      path: '/v1/sessions/{id}/metadata',
      operationId: 'setMetadata',
      tag,
      summary: 'Merge into what is kept of a session (RFC 7396): null removes a member',
      description:
        '`model`, `variant`, `agentMode` and `permissionMode` are brought to the agent, now if it runs or else when it is started again.',
      parameters,
      body: { schema: z.record(z.string(), z.unknown(), { error: PATCH }), expected: PATCH },
      answers: [{ status: 200, description: 'All of it, merged', schema: changedMetadataSchema }],
      errors: ['invalid_params', 'not_found'],
      handle: async (call, { body }) =>
        call.json(await port.setMetadata(call.req.param('id') ?? '', body, callerOf(call))),
    }),
  ];
}

/** The turn's answer; the caller may leave before, and the turn goes on. */
async function whenFinished(call: Call, finished: Promise<object>, leave: () => void): Promise<Response> {
  const { signal } = call.req.raw;
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return call.json(await finished);
  } catch (error) {
    if (!signal.aborted) throw error;
    return problemResponse(problem('request_cancelled', { detail: 'the caller went away; the turn goes on' }));
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
