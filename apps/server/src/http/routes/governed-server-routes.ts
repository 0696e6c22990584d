import { z } from 'zod';
import { notFound } from '../api-problems.ts';
import { type AnyRoute, apiRoute, type Call } from '../api-route.ts';
import { actorOf } from '../caller.ts';
import { SERVER_APPROVAL, SERVER_DENIAL, serverApproval, serverDenial, serverQuery } from '../governance-input.ts';
import type { GovernancePort, ServerVerdict } from '../governance-port.ts';
import {
  decidedServersSchema,
  governedServerSchema,
  serverApprovalSchema,
  serverDetailsSchema,
} from '../governance-schemas.ts';
import { problem, problemResponse } from '../problem.ts';
import { SESSION_ID, sessionOf } from './session-parameter.ts';

const tag = 'MCP servers';
const DECIDED = 'The requests that were answered, and the sessions in which nobody was asked';
const ofSession = { id: SESSION_ID, name: 'Name of a server of the session' };
const pinned = { fingerprint: 'Fingerprint of a server: `sha256:` and hexadecimal digits' };

/** The MCP servers of sessions, and what people decided about them. */
export function governedServerRoutes(port: GovernancePort): readonly AnyRoute[] {
  const decide = async (call: Call, verdict: ServerVerdict): Promise<Response> => {
    const result = await port.decideServer(call.req.param('fingerprint') ?? '', verdict, actorOf(call));
    if (result.kind === 'decided') return call.json(result.decided);
    return problemResponse(problem('conflict', { detail: result.reason, next: result.next }));
  };
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/servers',
      operationId: 'listServers',
      tag,
      summary: 'List the MCP servers of all live sessions, or of one, and what people decided about any',
      query: serverQuery,
      answers: [
        {
          status: 200,
          description: 'Servers',
          schema: z.object({ servers: z.array(governedServerSchema), approvals: z.array(serverApprovalSchema) }),
        },
      ],
      errors: ['invalid_params', 'not_found'],
      handle: async (call, { query: { session } }) => call.json(await port.servers(session)),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/sessions/{id}/servers/{name}',
      operationId: 'showServer',
      tag,
      summary: 'Show an MCP server of a session, with what is asked about it and the last it printed',
      parameters: ofSession,
      answers: [{ status: 200, description: 'The server', schema: serverDetailsSchema }],
      errors: ['not_found'],
      async handle(call) {
        const details = await port.server(sessionOf(call), call.req.param('name') ?? '');
        return details ? call.json(details) : noServer(call);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/servers/{name}/retry',
      operationId: 'retryServer',
      tag,
      summary: 'Start an MCP server again that failed, or ask again about one that was refused',
      parameters: ofSession,
      answers: [{ status: 204, description: 'It is tried' }],
      errors: ['not_found'],
      handle: async (call) =>
        (await port.retryServer(sessionOf(call), call.req.param('name') ?? '')) ? call.body(null, 204) : noServer(call),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/servers/{fingerprint}/approve',
      operationId: 'approveServer',
      tag,
      summary:
        'Approve what waits about an MCP server, in every session or one; where nothing does, change what was decided',
      parameters: pinned,
      body: { schema: serverApproval, expected: SERVER_APPROVAL, optional: true },
      answers: [
        {
          status: 200,
          description: DECIDED,
          schema: decidedServersSchema,
        },
      ],
      errors: ['invalid_params', 'not_found', 'conflict', 'not_offered'],
      handle: (call, { body }) => decide(call, { decision: 'approve', ...body }),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/servers/{fingerprint}/deny',
      operationId: 'denyServer',
      tag,
      summary:
        'Deny what waits about an MCP server, in every session or one; where nothing does, it stops where it runs',
      parameters: pinned,
      body: { schema: serverDenial, expected: SERVER_DENIAL, optional: true },
      answers: [{ status: 200, description: DECIDED, schema: decidedServersSchema }],
      errors: ['invalid_params', 'not_found', 'conflict', 'not_offered'],
      handle: (call, { body }) => decide(call, { decision: 'deny', ...body }),
    }),
    apiRoute({
      method: 'DELETE',
      path: '/v1/servers/{fingerprint}',
      operationId: 'forgetServer',
      tag,
      summary: 'Forget what people decided about an MCP server: it stops, and is asked about anew',
      parameters: pinned,
      answers: [{ status: 200, description: 'How many decisions are gone', schema: z.object({ forgotten: z.int() }) }],
      errors: ['not_found'],
      async handle(call) {
        const fingerprint = call.req.param('fingerprint') ?? '';
        const forgotten = await port.forgetServer(fingerprint, actorOf(call));
        if (forgotten > 0) return call.json({ forgotten });
        const detail = `nobody decided anything about a server "${fingerprint.slice(0, 200)}"`;
        return notFound(detail, 'GET /v1/servers lists the decisions that there are.');
      },
    }),
  ];
}

function noServer(call: Call): Response {
  const name = (call.req.param('name') ?? '').slice(0, 200);
  return notFound(`the session has no MCP server "${name}"`, 'GET /v1/servers?session=… lists those that it has.');
}
