import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ReviewParams } from '@reeve/client';
import { DEFAULT_POLICY } from '@reeve/policy';
import { script } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILES_SERVER, filesServer, openFilesLab } from './files-lab.ts';
import { SLOW_MS, STARTED } from './reeve-lab.ts';

/** Values of `env` and `headers`, which nobody but the server or the webhook is told. */
const SECRETS = [
  'secret-of-a-client-5f1',
  'secret-of-a-file-5f2',
  'secret-of-the-configuration-5f3',
  'secret-of-the-hook-5f4',
];
const [OF_CLIENT, OF_FILE, OF_CONFIGURATION, OF_HOOK] = SECRETS;

/** What the webhook was sent: headers and body. */
const hooked: { readonly authorization: string | undefined; readonly body: string }[] = [];
const hook = createServer(async (request, response) => {
  hooked.push({ authorization: request.headers.authorization, body: await text(request) });
  response.end();
}).listen(0, '127.0.0.1');
afterAll(() => void hook.close());
await once(hook, 'listening');

const lab = await openFilesLab(['shop', 'handbook', 'project', 'proposed'], (at) => {
  writeFileSync(at('rules.cedar'), DEFAULT_POLICY);
  const roots = [
    { path: at('shop'), access: 'rw' },
    { path: at('handbook'), access: 'ro', name: 'Handbook' },
  ];
  const notes = { command: process.execPath, args: [FILES_SERVER, at('shop')], env: { KEY: OF_CONFIGURATION } };
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  return {
    workspaces: { shop: { roots, mcpServers: { notes } } },
    alarms: { webhook: { url, headers: { authorization: OF_HOOK } } },
    policy: { files: [at('rules.cedar')] },
  };
});
afterAll(() => lab[Symbol.asyncDispose]());
const { api, at, base, reeve, cli, told, printed, stateOf, read } = lab;

const brought = (...paths: readonly string[]) => filesServer(paths, 'KEY', OF_CLIENT);

async function open(cwd: string, metadata: object = {}, mcpServers: readonly unknown[] = []): Promise<string> {
  const { session } = await api.sessions.create({ cwd, mcpServers, metadata: { ...metadata } });
  return session.sessionId;
}

describe('an MCP server that a client brings', { timeout: SLOW_MS }, () => {
  let session: string;
  beforeAll(async () => {
    session = await open(at('project'), {}, [brought(at('project'), at('handbook'))]);
  }, SLOW_MS);

  it('waits for a person, who sees its whole command, and is approved at the command line', async () => {
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
    const [request] = await api.requests.list({ session });
    expect(await told('requests', 'ls')).toContain('may the MCP server "files" run:');
    const shown = await told('requests', 'show', request?.id ?? '');
    expect(shown).toContain(`${FILES_SERVER} ${at('project')} ${at('handbook')}`);
    expect(shown).toContain('on this machine, in a sandbox');
    expect(await told('servers', 'ls')).toMatch(/files .* waiting/);

    expect((await cli('servers', 'approve', 'files', '--scope', 'project', '--expires', '2h')).code).toBe(0);
    expect(await read(session, join(at('project'), 'file.txt'))).toBe('in project');
    expect(await stateOf(session)).toBe('running');

    const { fingerprint = 'none' } = await api.servers.show(session, 'files');
    expect(await told('servers', 'ls')).toContain(fingerprint);
    const server = await told('servers', 'show', 'files');
    expect(server).toContain(`${FILES_SERVER} ${at('project')} ${at('handbook')}`);
    expect(server).toMatch(/ tools +\d+: \d+ read-only, /);
    expect(server).toMatch(/held by bubblewrap[\s\S]*gap:[\s\S]*approved +by reeve-cli .* for its project, until /);
    expect(await told('sessions', 'show', session)).toMatch(
      /"files", running, from the client[\s\S]*held by bubblewrap/,
    );
    expect((await cli('servers', 'approve', 'files')).stderr).toContain('where nobody was asked');
    expect((await api.servers.show(session, 'files')).approvals).toMatchObject([{ scope: 'project' }]);
  });

  it('is refused what it was not given, with the way to ask for it, and raises an alarm', async () => {
    const outside = join(at('handbook'), 'file.txt');
    expect(await read(session, outside)).toContain(`reeve roots request ${at('handbook')} --session ${session}`);
    expect(await told('alarms', '--session', session)).toContain('read_text_file');
    const { alarms } = await api.alarms({ session });
    expect(JSON.stringify(alarms)).not.toContain('handbook');
    await expect.poll(() => hooked, STARTED).not.toEqual([]);
    expect(hooked[0]?.authorization).toBe(OF_HOOK);
    expect(JSON.parse(hooked[0]?.body ?? '')).toMatchObject({
      type: 'dev.sandboxagent.boundary.alarm',
      data: { server: { name: 'files' }, tool: 'read_text_file', count: 1 },
    });
    expect(hooked[0]?.body).not.toContain('handbook');
    const check = await cli('roots', 'check', outside, '--session', session);
    expect(check.code).toBe(5);
    expect(check.stdout).toMatch(/agent +may not use it\n +files +may not use it \(outside what it has\)/);
    expect(check.stderr).toContain(`next: Give it to the session: reeve roots approve ${at('handbook')}:ro`);
  });

  it('is given a root that was asked for, narrowed, and loses it again: gone, as was looked up from inside', async () => {
    const asked = await printed('roots', 'request', `${at('handbook')}:rw`, '--session', session, '--json');
    const { requests } = JSON.parse(asked) as { requests: readonly { server: string; request: string }[] };
    expect(requests).toMatchObject([{ server: 'files' }]);
    const root = `${at('handbook')}:ro`;
    const wider = await cli('requests', 'answer', requests[0]?.request ?? '', '--approve', '--root', `${base}:ro`);
    expect([wider.code, wider.stderr]).toEqual([1, expect.stringMatching(/next: /)]);
    await told('roots', 'approve', root, '--session', session, '--expires', '1h');
    expect(await read(session, join(at('handbook'), 'file.txt'))).toBe('in handbook');
    expect(await told('roots', 'ls', '--session', session)).toMatch(
      new RegExp(`files +granted +ro +${at('handbook')}`),
    );
    expect(await told('roots', 'show', at('handbook'), '--session', session)).toMatch(
      /granted \(ro\); outside the project; .*grant [0-9a-f-]+/,
    );
    const [grant] = await api.grants.list({ session });
    expect(grant).toMatchObject({ decision: 'allow', path: at('handbook'), access: 'ro', scope: 'session' });

    const revoked = await told('roots', 'revoke', at('handbook'), '--session', session);
    expect(revoked).toContain('server "files" is in the narrower sandbox: what was taken is gone');
    expect(await read(session, join(at('handbook'), 'file.txt'))).toContain('Reeve did not pass this call on');
  });

  it('is denied a root, and that is not asked about as long as it counts', async () => {
    await told('roots', 'request', at('handbook'), '--session', session);
    expect((await cli('roots', 'deny', at('handbook'), '--session', session)).code).toBe(0);
    expect(await api.requests.list({ session })).toEqual([]);
    const nothing = await cli('roots', 'deny', at('handbook'), '--session', session);
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('reeve roots revoke')]);
  });

  it('is forgotten: it stops, and is asked about anew', async () => {
    expect((await cli('servers', 'forget', 'files')).stderr).toMatch(/forgot \d+ decision/);
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
    expect(await read(session, join(at('project'), 'file.txt'))).not.toBe('in project');
    const [review] = await api.requests.list({ session });
    expect((await cli('requests', 'answer', review?.id ?? '', '--deny', 'not now')).code).toBe(0);
    await expect.poll(() => stateOf(session), STARTED).toBe('refused');
    expect((await cli('servers', 'retry', 'files')).code).toBe(0);
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
  });
});

describe('a directory that a command line names from where the session works', { timeout: SLOW_MS }, () => {
  it('is what the server works on, and all that it is given', async () => {
    const sub = join(at('project'), 'sub');
    mkdirSync(sub);
    writeFileSync(join(sub, 'file.txt'), 'in sub');
    const session = await open(at('project'), {}, [brought('./sub')]);
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
    await told('servers', 'approve', 'files', '--session', session);
    expect(await read(session, join(sub, 'file.txt'))).toBe('in sub');
    expect(await stateOf(session)).toBe('running');
    expect((await api.servers.show(session, 'files')).roots).toEqual([{ path: sub, access: 'rw' }]);
    expect(await read(session, join(at('project'), 'file.txt'))).toContain('Reeve did not pass this call on');
    await api.sessions.close(session);
  });
});

describe('the boundary of a session', { timeout: SLOW_MS }, () => {
  it('is changed over HTTP, refused where another was faster, and each refusal says the next step', async () => {
    const session = await open(at('project'));
    const before = await api.boundaries.show(session);
    expect(before).toMatchObject({ revision: 1, live: true, roots: [{ path: at('project'), access: 'rw' }] });
    const roots = [...before.roots, { path: at('handbook'), access: 'ro' as const }];
    expect(await api.boundaries.set(session, { roots, expectedRevision: 1 })).toMatchObject({
      kind: 'changed',
      revision: 2,
    });
    await expect(api.boundaries.set(session, { roots, expectedRevision: 1 })).rejects.toMatchObject({
      code: 'conflict',
      next: expect.stringContaining('again'),
    });
    const nowhere = [{ path: at('nowhere'), access: 'ro' as const }];
    await expect(api.boundaries.set(session, { roots: nowhere })).rejects.toMatchObject({ code: 'invalid_params' });
    expect(await api.boundaries.check(session, join(at('handbook'), 'new'))).toMatchObject({ agent: 'ro' });
    const narrowed = await api.boundaries.narrow(session, { roots: [{ path: at('project'), access: 'ro' }] });
    expect(narrowed).toMatchObject({ revision: 3, roots: [{ path: at('project'), access: 'ro' }] });
    await expect(api.boundaries.revoke(session, at('project'))).rejects.toMatchObject({
      code: 'forbidden',
      next: expect.any(String),
    });
    await api.sessions.close(session);
    expect(await api.boundaries.show(session)).toMatchObject({ revision: 3, live: false, servers: [] });
  });

  it('is that of its workspace, with the servers that the configuration gives it, which nobody has to approve', async () => {
    expect(await told('workspaces', 'ls')).toMatch(/shop +rw +.*shop +notes/);
    const session = await open(at('shop'), { workspace: 'shop' });
    expect(await api.boundaries.show(session)).toMatchObject({
      roots: [
        { path: at('shop'), access: 'rw' },
        { path: at('handbook'), access: 'ro', name: 'Handbook' },
      ],
    });
    expect(await read(session, join(at('shop'), 'file.txt'), 'notes')).toBe('in shop');
    const asked = await api.requests.list({ session });
    expect(asked.filter(({ params }) => (params as ReviewParams).review === 'server')).toEqual([]);
    await api.sessions.close(session);

    const listed = script({ received: 'session' });
    const ran = await printed(
      'run',
      '--workspace',
      'shop',
      '--mcp-server',
      `files=${process.execPath} ${FILES_SERVER}`,
      '--permissions',
      'allow',
      listed,
    );
    const { cwd, mcpServers } = JSON.parse(ran) as { cwd: string; mcpServers: readonly { name: string }[] };
    expect([cwd, mcpServers.map(({ name }) => name).toSorted()]).toEqual([at('shop'), ['files', 'notes']]);
    const unknown = await cli('run', '--workspace', 'shops', listed);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('there is no workspace "shops"')]);
  });
});

it('proposes the servers of a file in the workspace, and one that was changed anew', { timeout: SLOW_MS }, async () => {
  const entry = { command: process.execPath, args: [FILES_SERVER, at('proposed')], env: { KEY: OF_FILE } };
  const write = (extra: object): void =>
    writeFileSync(join(at('proposed'), '.mcp.json'), JSON.stringify({ mcpServers: { found: { ...entry, ...extra } } }));
  write({});
  const first = await open(at('proposed'));
  await expect.poll(() => stateOf(first, 'found'), STARTED).toBe('waiting');
  const { fingerprint = '', origin } = await api.servers.show(first, 'found');
  expect(origin).toBe('workspace');
  expect((await api.servers.approve(fingerprint, { scope: 'project' })).requests).toHaveLength(1);
  expect(await read(first, join(at('proposed'), 'file.txt'), 'found')).toBe('in proposed');
  await api.sessions.close(first);

  const second = await open(at('proposed'));
  expect(await read(second, join(at('proposed'), 'file.txt'), 'found')).toBe('in proposed');
  await api.sessions.close(second);

  write({ env: { KEY: OF_FILE, MODE: 'value-of-a-mode' } });
  const third = await open(at('proposed'));
  await expect.poll(() => stateOf(third, 'found'), STARTED).toBe('waiting');
  const [review] = (await api.servers.show(third, 'found')).reviews;
  expect(review?.params).toMatchObject({
    server: { origin: 'workspace', changed: true, variables: ['KEY', 'MODE'] },
  });
  expect(JSON.stringify(review)).not.toContain('value-of-a-mode');
  await api.sessions.close(third);
});

it('shows, checks, explains and loads policies, and a tighter one counts for what runs', {
  timeout: SLOW_MS,
}, async () => {
  const session = await open(at('shop'), { workspace: 'shop' });
  expect(await read(session, join(at('shop'), 'file.txt'), 'notes')).toBe('in shop');
  const { hash, policies } = await api.policies.show();
  expect(policies.every(({ text, file }) => text !== '' && file === at('rules.cedar'))).toBe(true);
  const wrong = [{ name: 'a.cedar', text: 'permit(principal, action, resource) when { resource.no };' }];
  expect(await api.policies.check(wrong)).toMatchObject({
    ok: false,
    problems: expect.arrayContaining([expect.objectContaining({ file: 'a.cedar', line: 1 })]),
  });

  writeFileSync(at('rules.cedar'), 'permit(');
  const refused = await cli('policy', 'reload');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('those of before stay in force')]);
  expect((await api.policies.show()).hash).toBe(hash);

  const forbid = '@id("no-servers") forbid(principal, action == Action::"start_server", resource);';
  writeFileSync(at('rules.cedar'), `${DEFAULT_POLICY}\n${forbid}\n`);
  expect(await told('policy', 'reload')).toMatch(/^in force: sha256:/);
  await expect.poll(() => stateOf(session, 'notes'), STARTED).toMatch(/refused|failed/);
  expect(await read(session, join(at('shop'), 'file.txt'), 'notes')).not.toBe('in shop');
  writeFileSync(at('rules.cedar'), DEFAULT_POLICY);
  await told('policy', 'reload');
  await api.sessions.close(session);
});

it('has only documented errors for whom it does not know', async () => {
  const none = await cli('roots', 'ls', '--session', 'nobody');
  expect([none.code, none.stderr]).toEqual([4, expect.stringMatching(/next: /)]);
  const server = await cli('servers', 'show', 'nobody', '--session', 'nobody');
  expect([server.code, server.stderr]).toEqual([4, expect.stringMatching(/next: /)]);
  const expiry = await cli('roots', 'approve', dirname(base), '--session', 'x', '--expires', 'soon');
  expect([expiry.code, expiry.stderr]).toEqual([2, expect.stringContaining('next: Write how long')]);
});

it('tells nobody a secret of a server: over HTTP, on disk, in the log or at the command line', async () => {
  const { sessions } = await api.sessions.list();
  const ids = sessions.map(({ sessionId }) => sessionId);
  const names = ['boundary', 'events', 'servers/files', 'servers/notes', 'servers/found'];
  const paths = [
    ...['sessions', 'servers', 'grants', 'requests?state=all', 'alarms', 'audit?limit=1000', 'workspaces', 'policies'],
    ...ids.flatMap((id) => ['', ...names.map((name) => `/${name}`)].map((rest) => `sessions/${id}${rest}`)),
  ];
  const answers = await Promise.all(
    paths.map(async (path) => {
      const response = await fetch(`${reeve.url}/v1/${path}`, { headers: { authorization: `Bearer ${reeve.token}` } });
      return response.text();
    }),
  );
  const files = readdirSync(reeve.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const written = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const shown = await told('servers', 'ls');
  expect(ids.length).toBeGreaterThan(3);
  // What may be told is found in the same way.
  for (const said of [answers, written]) expect(said.join('')).toContain(at('shop'));
  for (const secret of SECRETS) {
    const where = [...answers, ...written, reeve.stderr(), shown].filter((said) => said.includes(secret));
    expect(where.map((said) => said.slice(0, 300))).toEqual([]);
  }
});
