import { z } from 'zod';
import { notFound } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { actorOf } from '../caller.ts';
import {
  NARROWED,
  NEW_BOUNDARY,
  narrowed,
  newBoundary,
  pathQuery,
  REVOKED,
  ROOT_WISH,
  revoked,
  rootWish,
} from '../governance-input.ts';
import type { GovernancePort } from '../governance-port.ts';
import {
  boundarySchema,
  changedBoundarySchema,
  pathCheckSchema,
  requestedRootSchema,
  workspaceSchema,
} from '../governance-schemas.ts';
import { tellChange, tellRefusal } from '../tell-change.ts';
import { SESSION_ID, sessionOf } from './session-parameter.ts';

const tag = 'Boundaries';
const parameters = { id: SESSION_ID };
/** What the routes that change a boundary have in common. */
const changes = {
  tag,
  parameters,
  answers: [
    {
      status: 200,
      description: 'The boundary as it is now, and what became of the change at each server',
      schema: changedBoundarySchema,
    },
  ],
  errors: ['invalid_params', 'not_found', 'conflict', 'forbidden'],
} as const;

/** Workspaces of the configuration, and what a session may reach. */
export function boundaryRoutes(port: GovernancePort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/workspaces',
      operationId: 'listWorkspaces',
      tag,
      summary: 'List the workspaces of the configuration',
      answers: [{ status: 200, description: 'Workspaces', schema: z.object({ workspaces: z.array(workspaceSchema) }) }],
      handle: (call) => call.json({ workspaces: port.workspaces() }),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/workspaces/{name}',
      operationId: 'showWorkspace',
      tag,
      summary: 'Show a workspace of the configuration',
      parameters: { name: 'Name of a workspace in the configuration' },
      answers: [{ status: 200, description: 'The workspace', schema: workspaceSchema }],
      errors: ['not_found'],
      handle(call) {
        const name = call.req.param('name') ?? '';
        const workspace = port.workspaces().find((one) => one.name === name);
        if (workspace) return call.json(workspace);
        const detail = `there is no workspace "${name.slice(0, 200)}"`;
        return notFound(detail, 'GET /v1/workspaces lists those of the configuration.');
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/sessions/{id}/boundary',
      operationId: 'showBoundary',
      tag,
      summary: 'Show what a session may reach, and how its roots stand with each of its MCP servers',
      parameters,
      answers: [{ status: 200, description: 'The boundary', schema: boundarySchema }],
      errors: ['not_found'],
      handle: async (call) => call.json(await port.boundary(sessionOf(call))),
    }),
    apiRoute({
      ...changes,
      method: 'PUT',
      path: '/v1/sessions/{id}/boundary',
      operationId: 'setBoundary',
      summary: 'Change what a session may reach; what is left out stays',
      description:
        'Resolves when the change is carried out: what was taken is gone from the sandbox of every server, or the answer says where not.',
      body: { schema: newBoundary, expected: NEW_BOUNDARY },
      handle: async (call, { body }) => tellChange(call, await port.setBoundary(sessionOf(call), body, actorOf(call))),
    }),
    apiRoute({
      ...changes,
      method: 'POST',
      path: '/v1/sessions/{id}/boundary/narrow',
      operationId: 'narrowBoundary',
      summary: 'Leave a session only what it has and the body names; never gives anything',
      body: { schema: narrowed, expected: NARROWED },
      handle: async (call, { body }) => tellChange(call, await port.narrow(sessionOf(call), body, actorOf(call))),
    }),
    apiRoute({
      ...changes,
      method: 'POST',
      path: '/v1/sessions/{id}/boundary/revoke',
      operationId: 'revokeRoot',
      summary: 'Take a root away, from a session or from one of its MCP servers',
      body: { schema: revoked, expected: REVOKED },
      handle: async (call, { body: { path, server } }) =>
        tellChange(call, await port.revokeRoot(sessionOf(call), path, server, actorOf(call))),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/sessions/{id}/roots/check',
      operationId: 'checkPath',
      tag,
      summary: 'Tell what a path may be used for, by the agent and by each MCP server, and what to do about it',
      parameters,
      query: pathQuery,
      answers: [{ status: 200, description: 'What it may be used for', schema: pathCheckSchema }],
      errors: ['invalid_params', 'not_found'],
      handle: async (call, { query: { path } }) => call.json(await port.checkPath(sessionOf(call), path)),
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/roots/request',
      operationId: 'requestRoot',
      tag,
      summary: 'Ask for a root for the MCP servers of a session: a person decides, where policies do not',
      parameters,
      body: { schema: rootWish, expected: ROOT_WISH },
      answers: [{ status: 202, description: 'What waits for a person', schema: requestedRootSchema }],
      errors: ['invalid_params', 'not_found', 'forbidden'],
      async handle(call, { body }) {
        const result = await port.requestRoot(sessionOf(call), body, actorOf(call));
        if (result.kind === 'asked') return call.json(result.asked, 202);
        return tellRefusal(result);
      },
    }),
  ];
}
