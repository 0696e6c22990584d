import { parseRequestId } from '@reeve/protocol';
import { z } from 'zod';
import { noRequest } from '../api-problems.ts';
import { type AnyRoute, apiRoute, type Call } from '../api-route.ts';
import { callerOf } from '../caller.ts';
import { ANSWER, answerBody, requestQuery } from '../control-input.ts';
import type { AnswerOutcome, ControlPort } from '../control-port.ts';
import { problem, problemResponse } from '../problem.ts';
import { requestSchema } from '../schemas.ts';

const tag = 'Requests';
const parameters = { id: 'Id of a request' };

/** What waits for a person, and the answers. */
export function requestRoutes(port: ControlPort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/requests',
      operationId: 'listRequests',
      tag,
      summary: 'List what waits for a person, oldest first',
      query: requestQuery,
      answers: [{ status: 200, description: 'Requests', schema: z.object({ requests: z.array(requestSchema) }) }],
      errors: ['invalid_params'],
      async handle(call, { query: { session, state } }) {
        const query = { pendingOnly: state === 'pending', ...(session === undefined ? {} : { session }) };
        return call.json({ requests: await port.requests(query) });
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/requests/{id}',
      operationId: 'showRequest',
      tag,
      summary: 'Show a request',
      parameters,
      answers: [{ status: 200, description: 'The request', schema: requestSchema }],
      errors: ['not_found'],
      async handle(call) {
        const id = parseRequestId(call.req.param('id'));
        const request = id === undefined ? undefined : await port.request(id);
        return request ? call.json(request) : noRequest(call);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/requests/{id}/answer',
      operationId: 'answerRequest',
      tag,
      summary: 'Answer a request; the first valid answer wins',
      parameters,
      body: { schema: answerBody, expected: ANSWER },
      answers: [
        { status: 200, description: 'The request as it is now', schema: z.looseObject({ request: requestSchema }) },
      ],
      errors: ['invalid_params', 'not_found', 'already_resolved', 'not_offered'],
      async handle(call, { body }) {
        const id = parseRequestId(call.req.param('id'));
        return id === undefined ? noRequest(call) : tellOutcome(call, await port.answer(id, body, callerOf(call)));
      },
    }),
  ];
}

function tellOutcome(call: Call, outcome: AnswerOutcome): Response {
  switch (outcome.kind) {
    case 'answered':
      return call.json({ request: outcome.request });
    case 'unknown':
      return noRequest(call);
    case 'settled': {
      const { state } = outcome.request;
      return problemResponse(problem('already_resolved', { detail: `the request is ${state.kind}`, data: { state } }));
    }
    case 'not-offered': {
      const { detail, offered } = outcome;
      return problemResponse(problem('not_offered', { detail, data: { offered } }));
    }
  }
}
