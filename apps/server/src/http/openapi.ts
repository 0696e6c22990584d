import { ERRORS, type ErrorName, type JsonObject } from '@reeve/protocol';
import { z } from 'zod';
import type { AnyRoute, ApiAnswer } from './api-route.ts';
import { CALLER_SHAPE } from './caller.ts';
import { PROBLEM_TYPE } from './problem.ts';
import { problemSchema } from './schemas.ts';

/** What every route can answer, whoever calls: by the name of the host and the origin, and by what the server is about. */
const ALWAYS: readonly ErrorName[] = ['forbidden', 'internal_error', 'shutting_down'];
/** What every route with a body can answer. */
const OF_BODIES: readonly ErrorName[] = ['invalid_params', 'parse_error', 'message_too_large'];
const PROBLEM = { $ref: '#/components/schemas/Problem' };

/** The control API as an OpenAPI 3.1 document (spec.openapis.org/oas/v3.1.0), whose schemas are JSON Schema 2020-12. */
export function openApiDocument(routes: readonly AnyRoute[], version: string): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operation(route);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reeve control API',
      version,
      description:
        'Sessions, what waits for a person, and agents, for programs that do not speak ACP. Times are milliseconds since the epoch; readers keep members that they do not know.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token that the server printed when it started' },
      },
      schemas: { Problem: jsonSchema(problemSchema, 'output') },
    },
  };
}

/** Who calls: what others are told of what was done. */
const CALLER = { 'Reeve-Client': `Who calls, as others are told: ${CALLER_SHAPE}` };

function operation(route: AnyRoute): JsonObject {
  const parameters = [
    ...Object.entries(route.parameters ?? {}).map(([name, description]) => ({
      name,
      in: 'path',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    ...queryParameters(route),
    ...Object.entries({ ...route.headers, ...(route.open ? {} : CALLER) }).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body ? { requestBody: requestBody(route.body) } : {}),
    responses: responses(route),
  };
}

function requestBody(body: NonNullable<AnyRoute['body']>): JsonObject {
  return {
    required: body.optional !== true,
    description: body.expected,
    content: { 'application/json': { schema: jsonSchema(body.schema, 'input') } },
  };
}

function queryParameters({ query }: AnyRoute): JsonObject[] {
  if (!query) return [];
  const { properties, required } = jsonSchema(query, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required?.includes(name) === true,
    schema,
  }));
}

function responses(route: AnyRoute): JsonObject {
  const answers = route.answers.map((answer) => [String(answer.status), success(answer)] as const);
  const names = new Set([
    ...(route.errors ?? []),
    ...(route.body ? OF_BODIES : []),
    ...(route.open ? [] : (['authentication_required', 'invalid_params'] as const)),
    ...ALWAYS,
  ]);
  const errors = Map.groupBy(names, (name) => ERRORS[name].httpStatus);
  const problems = [...errors].map(
    ([status, names]) =>
      [
        String(status),
        {
          description: names.map((name) => `\`${name}\`: ${ERRORS[name].message}`).join('; '),
          content: { [PROBLEM_TYPE]: { schema: PROBLEM } },
        },
      ] as const,
  );
  return Object.fromEntries([...answers, ...problems]);
}

function success({ description, schema, streams }: ApiAnswer): JsonObject {
  const content: Record<string, JsonObject> = {};
  if (schema) content['application/json'] = { schema: jsonSchema(schema, 'output') };
  for (const [type, what] of Object.entries(streams ?? {})) {
    content[type] = { schema: { type: 'string', description: what } };
  }
  return { description, ...(Object.keys(content).length === 0 ? {} : { content }) };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
