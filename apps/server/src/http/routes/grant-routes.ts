import { z } from 'zod';
import { notFound } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { actorOf } from '../caller.ts';
import { decisionQuery, NEW_GRANT, newGrant } from '../governance-input.ts';
import type { GovernancePort } from '../governance-port.ts';
import { changedBoundarySchema, grantSchema } from '../governance-schemas.ts';
import { tellChange } from '../tell-change.ts';

const tag = 'Grants';

/** What people decided about roots. */
export function grantRoutes(port: GovernancePort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/grants',
      operationId: 'listGrants',
      tag,
      summary: 'List what people decided about roots, in the order in which they did',
      query: decisionQuery,
      answers: [{ status: 200, description: 'Grants', schema: z.object({ grants: z.array(grantSchema) }) }],
      errors: ['invalid_params', 'not_found'],
      handle: async (call, { query }) => call.json({ grants: await port.grants(query) }),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/grants',
      operationId: 'grantRoot',
      tag,
      summary: 'Give a root to one MCP server of a session, or to the session itself',
      body: { schema: newGrant, expected: NEW_GRANT },
      answers: [
        { status: 201, description: 'The boundary as it is now, and what became of it', schema: changedBoundarySchema },
      ],
      errors: ['invalid_params', 'not_found', 'conflict', 'forbidden'],
      handle: async (call, { body }) => tellChange(call, await port.grant(body, actorOf(call)), 201),
    }),
    apiRoute({
      method: 'DELETE',
      path: '/v1/grants/{id}',
      operationId: 'revokeGrant',
      tag,
      summary: 'Take a grant back wherever it counts; answers when that is carried out',
      parameters: { id: 'Id of a grant' },
      answers: [{ status: 204, description: 'It is taken back' }],
      errors: ['not_found'],
      async handle(call) {
        const id = call.req.param('id') ?? '';
        if (await port.revokeGrant(id, actorOf(call))) return call.body(null, 204);
        return notFound(`there is no grant "${id.slice(0, 200)}"`, 'GET /v1/grants lists those that there are.');
      },
    }),
  ];
}
