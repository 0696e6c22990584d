import { notFound } from '../api-problems.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { directoryQuery } from '../governance-input.ts';
import type { GovernancePort } from '../governance-port.ts';
import { boundaryPreviewSchema, directoryListSchema } from '../preview-schemas.ts';
import { problem, problemResponse } from '../problem.ts';
import { NEW_SESSION, newSession } from '../session-input.ts';

/** What a session would be before there is one, and the directories to choose from. */
export function previewRoutes(port: GovernancePort): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'POST',
      path: '/v1/boundaries/preview',
      operationId: 'previewBoundary',
      tag: 'Boundaries',
      summary:
        'Tell what a session made with the same body could reach: its roots, their risks, its MCP servers, what holds it',
      description:
        'Nothing starts, nobody is asked, nothing is granted, and the audit log has nothing of it. What is wrong with the place stands in `issues`; a body whose shape is wrong is refused as `POST /v1/sessions` would.',
      body: { schema: newSession, expected: NEW_SESSION },
      answers: [{ status: 200, description: 'What it would be', schema: boundaryPreviewSchema }],
      errors: ['invalid_params'],
      handle: async (call, { body }) => call.json(await port.preview(body)),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/workspaces/{name}/directories',
      operationId: 'listDirectories',
      tag: 'Boundaries',
      summary: 'List the roots of a workspace, or the directories in one that lies in them',
      parameters: { name: 'Name of a workspace in the configuration' },
      query: directoryQuery,
      answers: [{ status: 200, description: 'Directories', schema: directoryListSchema }],
      errors: ['invalid_params', 'not_found', 'forbidden'],
      async handle(call, { query: { path } }) {
        const name = call.req.param('name') ?? '';
        const answer = await port.directories(name, path);
        const workspace = JSON.stringify(name.slice(0, 200));
        switch (answer.kind) {
          case 'listed': {
            const { kind: _, ...list } = answer;
            return call.json(list);
          }
          case 'unknown':
            return notFound(
              `there is no workspace ${workspace}`,
              'GET /v1/workspaces lists those of the configuration.',
            );
          case 'unreadable':
            return notFound(
              'there is no directory that can be read',
              'Leave "path" out for the roots of the workspace.',
            );
          case 'outside': {
            const detail = `it lies in no root of the workspace ${workspace}`;
            return problemResponse(
              problem('forbidden', { detail, next: 'Leave "path" out for the roots of the workspace.' }),
            );
          }
        }
      },
    }),
  ];
}
