import { isObject, type JsonObject } from '@reeve/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createControlApi } from './control-api.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { FakeGovernancePort } from './fake-governance-port.ts';
import { OPEN_PATHS } from './routes/document-routes.ts';

const api = createControlApi({
  port: new FakeControlPort(),
  governance: new FakeGovernancePort(),
  version: '1.2.3',
  maxBodyBytes: 1024,
  heartbeatMs: 20,
});
const get = async (path: string): Promise<Response> => api.request(path, {}, { authenticated: true });
const document = (await (await get('/v1/openapi.json')).json()) as JsonObject & {
  paths: Record<string, Record<string, JsonObject>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('is of version 3.1 and has every path that is served', () => {
    expect(document.openapi).toBe('3.1.0');
    const served = api.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/*')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(served.sort());
    expect(served.length).toBeGreaterThan(12);
  });

  it('names each operation once, and every parameter of its path', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const told = ((operation.parameters ?? []) as readonly JsonObject[]).filter((one) => one.in === 'path');
      expect(told.map((one) => one.name)).toEqual(names);
    }
  });

  it('has schemas that JSON Schema 2020-12 can read, and a problem for every error', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = operations.flatMap(({ operation }) => {
      const bodies = [operation.requestBody, ...Object.values(operation.responses as JsonObject)];
      return bodies.filter(isObject).flatMap(({ content }) => Object.values((content ?? {}) as JsonObject));
    });
    expect(schemas.length).toBeGreaterThan(operations.length);
    for (const media of schemas) {
      const { schema } = media as { schema: JsonObject };
      if (schema.$ref === undefined) expect(() => ajv.compile(schema)).not.toThrow();
      else expect(schema.$ref).toBe('#/components/schemas/Problem');
    }
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses as JsonObject);
      expect(statuses).toEqual(expect.arrayContaining(['403', '500']));
      expect(statuses.includes('401')).toBe(operation.security === undefined);
      if (operation.requestBody) expect(statuses).toEqual(expect.arrayContaining(['400', '413']));
    }
  });

  it('says which paths are open to strangers, and those are', () => {
    const open = operations.filter(({ operation }) => operation.security !== undefined).map(({ path }) => path);
    expect(open.sort()).toEqual([...OPEN_PATHS].sort());
  });

  it('is a page for people, which may run nothing', async () => {
    const response = await get('/v1/docs');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    for (const { path, method, operation } of operations) {
      expect(page).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
      expect(page).toContain(`id="${String(operation.operationId)}"`);
    }
    expect(page).not.toMatch(/<script|\son\w+=|https?:\/\//i);
  });
});
