import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectReeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

/*
 * Everything that the HTTP API offers to govern sessions, called with what no honest caller sends: each route, as its own OpenAPI document
 * has it, beside a session with an MCP server that is really there.
 */

const SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const TAGS: ReadonlySet<string> = new Set(['Boundaries', 'Grants', 'MCP servers', 'Policies', 'Audit']);
/** Some 1,500 calls, some of which start processes. */
const SLOW_MS = 120_000;

interface Operation {
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' | 'header' }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Shape } } };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface Garbage {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly documented: ReadonlySet<string>;
}

const NUMBERS = [-1, 0, 1.5, 1e308, 2 ** 53 + 2];
const TEXTS = ['', '\0', '\n', '__proto__', '../..', '/proc/../etc', 'x'.repeat(5000), '\ud800', 'sha256:', '\u202e'];
const VALUES: readonly unknown[] = [null, true, ...NUMBERS, ...TEXTS, [], [null], [[]], {}, { path: 1 }, { allow: 1 }];
const BODIES = [
  '',
  'null',
  '1',
  '"x"',
  '[]',
  '{',
  '{"__proto__":{}}',
  '{"nobody":1}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
];
/** As they stand in a URL. */
const WORDS = [
  '%00',
  '%0A',
  '..%2f..',
  '__proto__',
  'constructor',
  '-1',
  '1e999',
  '9'.repeat(40),
  'x'.repeat(3000),
  '%F0%9F%98%80',
];

let base: string;
let reeve: SpawnedReeve;
let session: string;
let known: Readonly<Record<string, string>>;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-garbage-')));
  for (const name of ['project', 'home']) mkdirSync(join(base, name));
  reeve = await startReeve({
    config: {
      agents: { fake: fakeAgentCommand() },
      defaultAgent: 'fake',
      workspaces: { shop: { roots: [{ path: join(base, 'project'), access: 'rw' }] } },
    },
    env: { HOME: join(base, 'home') },
  });
  const server = { name: 'files', command: process.execPath, args: [SERVER, join(base, 'project')], env: [] };
  const made = await connectReeve(reeve).sessions.create({ cwd: join(base, 'project'), mcpServers: [server] });
  session = made.session.sessionId;
  const { servers } = await connectReeve(reeve).servers.list({ session });
  known = { id: session, name: 'files', fingerprint: servers[0]?.fingerprint ?? '', seq: '0' };
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

/** What is right but for one member, so that nothing else keeps it from being looked at. */
const RIGHT: Readonly<Record<string, () => object>> = {
  '/v1/grants': () => ({ session, path: join(base, 'project'), access: 'ro' }),
  '/v1/sessions/{id}/roots/request': () => ({ path: join(base, 'project'), access: 'ro' }),
  '/v1/sessions/{id}/boundary/revoke': () => ({ path: join(base, 'home') }),
  '/v1/boundaries/preview': () => ({ cwd: join(base, 'project') }),
  '/v1/policies/check': () => ({ files: [{ name: 'a.cedar', text: '' }] }),
};

function* garbage(path: string, method: string, operation: Operation): Generator<Garbage> {
  const { parameters = [], requestBody, responses } = operation;
  const documented = new Set(Object.keys(responses));
  const at = (words: Readonly<Record<string, string>>): string =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => words[name] ?? 'x');
  const real = at(known);
  const made = { method, documented };
  const right = RIGHT[path]?.() ?? {};
  const sent = requestBody ? { body: JSON.stringify(right) } : {};
  const inPath = parameters.filter((one) => one.in === 'path');
  for (const { name } of inPath)
    for (const word of WORDS) yield { ...made, path: at({ ...known, [name]: word }), ...sent };
  for (const { name } of parameters.filter((one) => one.in === 'query')) {
    for (const word of ['', ...WORDS]) yield { ...made, path: `${real}?${name}=${word}`, ...sent };
  }
  if (!requestBody) return;
  for (const body of BODIES) yield { ...made, path: real, body };
  for (const member of Object.keys(requestBody.content['application/json'].schema.properties ?? {})) {
    for (const value of VALUES) yield { ...made, path: real, body: JSON.stringify({ ...right, [member]: value }) };
  }
}

/** What is wrong with the answer; undefined where it is an answer, or a refusal that says the next step. */
async function wrongWith({ method, path, body, documented }: Garbage): Promise<string | undefined> {
  const headers = {
    authorization: `Bearer ${reeve.token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const response = await fetch(`${reeve.url}${path}`, {
    method: method.toUpperCase(),
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const { status } = response;
  const text = await response.text();
  const told = `${method} ${path.slice(0, 200)} ${body?.slice(0, 200) ?? ''}: ${status} ${text.slice(0, 300)}`;
  if (status < 400) return undefined;
  if (status >= 500 || !documented.has(String(status))) return told;
  const { next, detail } = JSON.parse(text) as { next?: string; detail?: string };
  return detail !== undefined && next !== undefined && /^(?!.*(?:another value|session\/list))./.test(next)
    ? undefined
    : told;
}

it('is refused by every route that governs sessions with what to do instead, and never a failure of the server', {
  timeout: SLOW_MS,
}, async () => {
  const response = await fetch(`${reeve.url}/v1/openapi.json`);
  const { paths } = (await response.json()) as { paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const all = operations
    .filter(({ operation }) => operation.tags.some((tag) => TAGS.has(tag)))
    .flatMap(({ path, method, operation }) => [...garbage(path, method, operation)]);
  const wrong: string[] = [];
  for (let start = 0; start < all.length; start += 16) {
    const told = await Promise.all(all.slice(start, start + 16).map(wrongWith));
    wrong.push(...told.filter((one) => one !== undefined));
  }
  expect(all.length).toBeGreaterThan(1000);
  expect(wrong).toEqual([]);
});
