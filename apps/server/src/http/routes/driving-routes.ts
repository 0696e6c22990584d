import type { CreatedSession } from '@reeve/protocol';
import { z } from 'zod';
import { type AnyRoute, apiRoute, type Call } from '../api-route.ts';
import { callerOf } from '../caller.ts';
import type { ControlPort } from '../control-port.ts';
import { problem, problemResponse } from '../problem.ts';
import { acceptedTurnSchema, changedMetadataSchema, createdSessionSchema, turnSchema } from '../schemas.ts';
import { fork, NEW_SESSION, newSession } from '../session-input.ts';
import { newTurn } from '../turn-input.ts';
import { SESSION_ID, sessionOf } from './session-parameter.ts';

const tag = 'Driving';
const parameters = { id: SESSION_ID };

const PATCH = 'a JSON object: the members to change';
/** Why there is no new session though its agent was asked for one. */
const NOT_OPENED = [
  'authentication_required',
  'agent_refused',
  'agent_start_failed',
  'agent_timeout',
  'overloaded',
] as const;
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
      errors: ['invalid_params', ...NOT_OPENED],
      handle: async (call, { body }) => created(call, await port.createSession(body, callerOf(call))),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/fork',
      operationId: 'forkSession',
      tag,
      summary:
        'Make a session that goes on from the last finished turn of this one; what is left out is as this one has it',
      description:
        'As `session/fork` of ACP does: `_meta["sandboxagent.dev"].forked` of the result says who remembers what was said, the agent or a transcript. Sessions of ACP v2 cannot be forked.',
      parameters,
      body: { schema: fork, expected: 'a JSON object, or nothing', optional: true },
      answers: [{ status: 201, description: 'The new session, ready for a prompt', schema: createdSessionSchema }],
      errors: ['invalid_params', 'not_found', 'conflict', 'capability_missing', ...NOT_OPENED],
      handle: async (call, { body }) => created(call, await port.forkSession(sessionOf(call), body, callerOf(call))),
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
        const begun = await port.prompt(sessionOf(call), turn, callerOf(call));
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
        await port.cancel(sessionOf(call), callerOf(call));
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
        await port.terminate(sessionOf(call), callerOf(call));
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
      handle: async (call, { body }) => call.json(await port.setMetadata(sessionOf(call), body, callerOf(call))),
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

function created(call: Call, session: CreatedSession): Response {
  return call.json(session, 201, { location: `/v1/sessions/${encodeURIComponent(session.session.sessionId)}` });
}
