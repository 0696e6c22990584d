import type { ErrorName } from '@reeve/protocol';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { AppBindings } from './app.ts';

/** One call of the control API, as hono has it. */
export type Call = Context<{ Bindings: AppBindings }>;

/** What a route gives when all went well. */
export interface ApiAnswer {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** JSON of this shape; nothing for 204. */
  readonly schema?: z.ZodType;
  /** What else the route can give, by media type: a description of it. */
  readonly streams?: { readonly [mediaType: string]: string };
}

/** What a route reads from the body: JSON of this shape. */
export interface ApiBody<B> {
  readonly schema: z.ZodType<B>;
  /** What the whole must be, for whoever sent something else. */
  readonly expected: string;
  /** An empty body counts as `{}`. */
  readonly optional?: boolean;
}

/**
 * One route of the control API: what it takes, gives and does. The router and the OpenAPI document are both made from it,
 * so that neither can say what the other does not.
 */
export interface ApiRoute<Q = unknown, B = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As OpenAPI writes it: `/v1/sessions/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** What each `{…}` of the path is. */
  readonly parameters?: { readonly [name: string]: string };
  /** Header fields that the route reads. */
  readonly headers?: { readonly [name: string]: string };
  readonly query?: z.ZodType<Q>;
  readonly body?: ApiBody<B>;
  readonly answers: readonly ApiAnswer[];
  /** Beside those that every route can give. */
  readonly errors?: readonly ErrorName[];
  /** Strangers may call it too. */
  readonly open?: boolean;
  handle(call: Call, input: { readonly query: Q; readonly body: B }): Response | Promise<Response>;
}

/** A route as the router sees it, which knows no route's own types. */
export type AnyRoute = ApiRoute<never, never>;

/** Declares a route; the types of its query and body follow from their schemas. */
export function apiRoute<Q = undefined, B = undefined>(route: ApiRoute<Q, B>): AnyRoute {
  return route as unknown as AnyRoute;
}
