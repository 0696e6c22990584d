import { z } from 'zod';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { DOCS_PAGE_POLICY, docsPage } from '../docs-page.ts';
import { openApiDocument } from '../openapi.ts';

/** The API's own description, for machines and for people. Open: it holds nothing of this server but its version. */
export function documentRoutes(others: readonly AnyRoute[], version: string): readonly AnyRoute[] {
  const routes: AnyRoute[] = [
    apiRoute({
      method: 'GET',
      path: '/v1/openapi.json',
      operationId: 'openapi',
      tag: 'Server',
      summary: 'The OpenAPI 3.1 document of this API',
      open: true,
      answers: [{ status: 200, description: 'The document', schema: z.looseObject({ openapi: z.literal('3.1.0') }) }],
      handle: (call) => call.json(document()),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/docs',
      operationId: 'docs',
      tag: 'Server',
      summary: 'This API as a page for people',
      open: true,
      answers: [{ status: 200, description: 'A page', streams: { 'text/html': 'The page, without scripts' } }],
      handle: async (call) =>
        call.html(await docsPage(document()), 200, { 'content-security-policy': DOCS_PAGE_POLICY }),
    }),
  ];
  let made: ReturnType<typeof openApiDocument> | undefined;
  const document = () => {
    made ??= openApiDocument([...others, ...routes], version);
    return made;
  };
  return routes;
}

/** Paths that strangers may call. */
export const OPEN_PATHS: readonly string[] = ['/v1/health', '/v1/openapi.json', '/v1/docs'];
