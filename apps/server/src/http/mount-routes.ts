import type { Hono } from 'hono';
import type { z } from 'zod';
import { badInput, badRequestBody, wrongMethod, wrongType } from './api-problems.ts';
import type { AnyRoute, ApiBody, Call } from './api-route.ts';
import type { AppBindings } from './app.ts';
import { refuseCaller } from './caller.ts';
import { type Read, readAs, readJson } from './control-input.ts';
import { readText } from './read-text.ts';

type App = Hono<{ Bindings: AppBindings }>;

/** Serves each route at its path, with its input read and checked, and says which methods a path has to whoever tries another. */
export function mountRoutes(app: App, routes: readonly AnyRoute[], maxBodyBytes: number): void {
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
    methods.set(path, [...(methods.get(path) ?? []), route.method]);
    app.on(route.method, path, (call) => answer(route, call, maxBodyBytes));
  }
  for (const [path, known] of methods) app.all(path, (call) => wrongMethod(call, known.join(', ')));
}

async function answer(route: AnyRoute, call: Call, maxBodyBytes: number): Promise<Response> {
  const refused = route.open ? undefined : refuseCaller(call);
  if (refused) return refused;
  const query = route.query ? readAs(route.query as z.ZodType, call.req.query()) : undefined;
  if (query?.kind === 'bad') return badInput(query, 'query');
  const body = route.body ? await readBody(route.body, call, maxBodyBytes) : undefined;
  if (body instanceof Response) return body;
  if (body?.kind === 'bad') return badInput(body, 'body');
  return route.handle(call, { query: query?.value as never, body: body?.value as never });
}

async function readBody(
  { schema, expected, optional = false }: ApiBody<unknown>,
  call: Call,
  maxBytes: number,
): Promise<Read<unknown> | Response> {
  const type = call.req.header('content-type');
  const read = await readText(call.req.raw, maxBytes);
  if (read.kind !== 'text') return badRequestBody(read.kind, maxBytes);
  if (optional && read.text === '' && type === undefined) return readAs(schema, {});
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) return wrongType();
  return readJson(schema, read.text, expected);
}
