import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startAuditRig } from '../audit/audit-log.rig.ts';
import { createControlApi } from './control-api.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { FakeGovernancePort } from './fake-governance-port.ts';

const ACTOR = { label: 'http-api', administrator: true };

function rig() {
  const governance = new FakeGovernancePort();
  const port = new FakeControlPort();
  const api = createControlApi({ port, governance, version: '1', maxBodyBytes: 100_000, heartbeatMs: 1000 });
  const call = async (method: string, path: string, body?: unknown) => {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await api.request(path, { method, ...sent }, { authenticated: true });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { governance, port, call };
}

describe('boundaries over HTTP', () => {
  it('are shown, with the workspaces of the configuration', async () => {
    const { call } = rig();
    expect((await call('GET', '/v1/workspaces')).body).toMatchObject({ workspaces: [{ name: 'shop' }] });
    expect((await call('GET', '/v1/workspaces/shop')).body).toMatchObject({ mcpServers: ['notes'] });
    expect(await call('GET', '/v1/workspaces/none')).toMatchObject({ status: 404, body: { name: 'not_found' } });
    expect((await call('GET', '/v1/sessions/s1/boundary')).body).toMatchObject({ revision: 3, live: true });
    expect((await call('GET', '/v1/sessions/none/boundary')).status).toBe(404);
  });

  it('are told before there is a session, with the directories to choose from, and refusals say the next step', async () => {
    const { governance, call } = rig();
    const wanted = { cwd: '/work', mcpServers: [], metadata: { mcpServersOff: ['a'] } };
    expect((await call('POST', '/v1/boundaries/preview', wanted)).body).toMatchObject({ issues: [] });
    expect(governance.said).toEqual([['preview', wanted]]);
    expect(await call('POST', '/v1/boundaries/preview', { cwd: 'work' })).toMatchObject({ status: 400 });
    const list = (name: string, path = '') => call('GET', `/v1/workspaces/${name}/directories${path}`);
    expect(await list('shop')).toMatchObject({ status: 200, body: { directories: [{ name: 'shop' }], cut: false } });
    const next = expect.any(String);
    expect(await list('none')).toMatchObject({ status: 404, body: { next } });
    expect(await list('shop', '?path=/gone')).toMatchObject({ status: 404, body: { next } });
    expect(await list('shop', '?path=/etc')).toMatchObject({ status: 403, body: { next } });
    expect(await list('shop', '?path=etc')).toMatchObject({ status: 400, body: { next } });
  });

  it('are changed, narrowed and lose roots, and the answer says what became of it at each server', async () => {
    const { governance, call } = rig();
    const roots = [{ path: '/home/me', access: 'ro', name: 'Mine' }];
    const put = await call('PUT', '/v1/sessions/s1/boundary', { roots, network: 'none', expectedRevision: 2 });
    expect(put).toMatchObject({ status: 200, body: { revision: 3, servers: [{ server: 'files', result: 'gone' }] } });
    expect((await call('POST', '/v1/sessions/s1/boundary/narrow', { roots })).status).toBe(200);
    expect((await call('POST', '/v1/sessions/s1/boundary/revoke', { path: '/a', server: 'files' })).status).toBe(200);
    expect(governance.said).toEqual([
      ['set', 's1', { roots, network: 'none', expectedRevision: 2 }, ACTOR],
      ['narrow', 's1', { roots }, ACTOR],
      ['revoke', 's1', '/a', 'files', ACTOR],
    ]);
  });

  it('are not changed where that is refused, and every refusal says the next step', async () => {
    const { governance, call } = rig();
    const issue = {
      path: 'roots[0].path',
      expected: 'an existing directory',
      received: 'nothing there',
      fix: 'create it',
    };
    governance.change = { kind: 'invalid', issues: [issue] };
    const put = () => call('PUT', '/v1/sessions/s1/boundary', { roots: [{ path: '/a', access: 'ro' }] });
    expect(await put()).toMatchObject({
      status: 400,
      body: { name: 'invalid_params', next: 'Create it.', detail: expect.stringContaining('roots[0].path') },
    });
    governance.change = { kind: 'conflict', revision: 9 };
    expect(await put()).toMatchObject({
      status: 409,
      body: { name: 'conflict', data: { revision: 9 }, next: expect.stringContaining('again') },
    });
    governance.change = { kind: 'refused', reason: 'a policy forbids it', next: 'Ask the operator.' };
    expect(await put()).toMatchObject({
      status: 403,
      body: { name: 'forbidden', detail: 'a policy forbids it', next: 'Ask the operator.' },
    });
  });

  it.each([
    ['PUT', '/v1/sessions/s1/boundary', { roots: [] }],
    ['PUT', '/v1/sessions/s1/boundary', { roots: [{ path: 'a', access: 'ro' }] }],
    ['PUT', '/v1/sessions/s1/boundary', { roots: [{ path: '/a' }] }],
    ['PUT', '/v1/sessions/s1/boundary', { root: '/a' }],
    ['POST', '/v1/sessions/s1/boundary/revoke', {}],
    ['POST', '/v1/sessions/s1/roots/request', { path: '/a\0', access: 'ro' }],
    ['POST', '/v1/grants', { session: 's1', path: '/a', access: 'w' }],
    ['POST', '/v1/grants', { session: 's1', path: '/a', access: 'ro', expiresAt: 'soon' }],
    ['POST', '/v1/servers/sha256:1/approve', { scope: 'ever' }],
    ['POST', '/v1/servers/sha256:1/approve', { expiresAt: 'never' }],
    ['POST', '/v1/servers/sha256:1/deny', { expiresAt: null }],
    ['POST', '/v1/policies/check', { files: [] }],
    ['GET', '/v1/sessions/s1/roots/check', undefined],
    ['GET', '/v1/grants?scope=ever', undefined],
  ])('%s %s with %j is refused before anything is done', async (method, path, body) => {
    const { governance, call } = rig();
    expect(await call(method, path, body)).toMatchObject({ status: 400, body: { next: expect.any(String) } });
    expect(governance.said).toEqual([]);
  });

  it('tell what a path may be used for, and are asked for roots', async () => {
    const { governance, call } = rig();
    const check = await call('GET', '/v1/sessions/s1/roots/check?path=%2Fetc%2Fpasswd');
    expect(check.body).toMatchObject({ path: '/etc/passwd', agent: 'none', next: 'Ask.' });
    const wish = { path: '/data', access: 'ro', scope: 'project' };
    const asked = await call('POST', '/v1/sessions/s1/roots/request', wish);
    expect(asked).toMatchObject({ status: 202, body: { requests: [{ server: 'files', request: 'r1' }] } });
    expect(governance.said).toEqual([['request', 's1', wish, ACTOR]]);
  });
});

describe('grants, servers and policies over HTTP', () => {
  it('are given, listed and taken back', async () => {
    const { governance, call } = rig();
    const grant = { session: 's1', server: 'files', path: '/data', access: 'ro', expiresAt: 5 };
    expect((await call('POST', '/v1/grants', grant)).status).toBe(201);
    expect((await call('GET', '/v1/grants?session=s1&scope=session')).body).toEqual({ grants: [] });
    expect(governance.said).toEqual([
      ['grant', grant, ACTOR],
      ['grants', { session: 's1', scope: 'session' }],
    ]);
    expect((await call('DELETE', '/v1/grants/g1')).status).toBe(204);
    expect(await call('DELETE', '/v1/grants/g2')).toMatchObject({ status: 404, body: { next: expect.any(String) } });
  });

  it('are listed with what was decided, shown with what they printed, approved and forgotten', async () => {
    const { governance, call } = rig();
    expect((await call('GET', '/v1/servers')).body).toMatchObject({
      servers: [{ name: 'files', state: 'waiting', requests: ['r1'] }],
      approvals: [{ id: 'a1', decision: 'allow' }],
    });
    expect((await call('GET', '/v1/sessions/s1/servers/files')).body).toMatchObject({ stderrTail: 'oh' });
    expect((await call('GET', '/v1/sessions/s1/servers/other')).status).toBe(404);
    expect((await call('POST', '/v1/sessions/s1/servers/files/retry')).status).toBe(204);
    expect((await call('POST', '/v1/servers/sha256:1/approve')).status).toBe(200);
    expect((await call('POST', '/v1/servers/sha256:1/approve', { expiresAt: null })).status).toBe(200);
    expect(await call('POST', '/v1/servers/sha256:2/approve', { scope: 'project' })).toMatchObject({
      status: 409,
      body: { detail: 'nothing waits', next: 'Wait.' },
    });
    const denial = { session: 's1', scope: 'always', expiresAt: 9, reason: 'no' };
    expect((await call('POST', '/v1/servers/sha256:1/deny', denial)).body).toEqual({ requests: [], changed: [] });
    expect((await call('POST', '/v1/servers/sha256:1/deny', { trusted: true })).status).toBe(400);
    expect(governance.said).toEqual([
      ['decide', 'sha256:1', { decision: 'approve' }, ACTOR],
      ['decide', 'sha256:1', { decision: 'approve', expiresAt: null }, ACTOR],
      ['decide', 'sha256:2', { decision: 'approve', scope: 'project' }, ACTOR],
      ['decide', 'sha256:1', { decision: 'deny', ...denial }, ACTOR],
    ]);
    expect((await call('DELETE', '/v1/servers/sha256:1')).body).toEqual({ forgotten: 2 });
    expect((await call('DELETE', '/v1/servers/sha256:2')).status).toBe(404);
  });

  it('are shown, checked, explained and read again', async () => {
    const { governance, call } = rig();
    expect((await call('GET', '/v1/policies')).body).toMatchObject({ hash: 'sha256:0' });
    const files = [{ name: 'a.cedar', text: 'permit(principal, action, resource);' }];
    expect((await call('POST', '/v1/policies/check', { files })).body).toMatchObject({ ok: true });
    expect(governance.said).toEqual([['check', files]]);
    expect((await call('POST', '/v1/policies/explain', { facts: 'facts' })).body).toMatchObject({
      words: 'It is allowed.',
    });
    expect(await call('POST', '/v1/policies/explain', { facts: 1 })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('facts.kind') },
    });
    expect((await call('POST', '/v1/policies/reload')).body).toEqual({ ok: false, problems: [] });
  });

  it('take the answer to a review, narrowed', async () => {
    const { port, call } = rig();
    const answer = { decision: 'approve', scope: 'project', roots: [{ path: '/a', access: 'ro' }], expiresAt: 9 };
    const id = '01981d5e-9f6c-7cc0-8000-000000000001';
    expect((await call('POST', `/v1/requests/${id}/answer`, answer)).status).toBe(200);
    expect(port.answers).toEqual([{ id, answer, by: 'http-api' }]);
    expect((await call('POST', `/v1/requests/${id}/answer`, { ...answer, everything: true })).status).toBe(400);
  });
});

it('answers any JSON with what it is for, or with what is expected, and never fails', async () => {
  const { governance, call } = rig();
  const routes = [
    ['PUT', '/v1/sessions/s1/boundary'],
    ['POST', '/v1/sessions/s1/boundary/narrow'],
    ['POST', '/v1/sessions/s1/boundary/revoke'],
    ['POST', '/v1/sessions/s1/roots/request'],
    ['POST', '/v1/grants'],
    ['POST', '/v1/servers/sha256:1/approve'],
    ['POST', '/v1/policies/check'],
    ['POST', '/v1/policies/explain'],
  ] as const;
  const words = [
    'roots',
    'path',
    'access',
    'server',
    'session',
    'scope',
    'expiresAt',
    'network',
    'files',
    'facts',
    'name',
  ];
  const body = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...words), fc.jsonValue()));
  const sent = fc.asyncProperty(fc.constantFrom(...routes), body, async ([method, path], value) => {
    governance.said.length = 0;
    const { status, body: answer } = await call(method, path, value);
    // Not the words of the schema library after "Send".
    const next = expect.stringMatching(/^(?!Send (?:Unrecognized|Invalid|Too ))/);
    if (status >= 400) expect({ status, next: answer.next }).toEqual({ status: 400, next });
    else expect(governance.said.length).toBeLessThanOrEqual(1);
  });
  await fc.assert(sent, { numRuns: 400 });
});

it('lists alarms from the audit log, newest first, without a path in the clear', async () => {
  await using audit = await startAuditRig();
  const server = { name: 'files', fingerprint: 'sha256:1', transport: 'stdio', origin: 'client' } as const;
  for (const name of ['one', 'two', 'three']) {
    await audit.log.record({
      kind: 'boundary.alarm',
      session: 's1' as never,
      server,
      from: 'agent',
      place: { path: `/home/ada/${name}`, access: 'ro' },
      tool: name,
      revision: 1,
    });
  }
  const port = new FakeControlPort();
  const api = createControlApi({ port, audit: audit.log, version: '1', maxBodyBytes: 1000, heartbeatMs: 1000 });
  const page = async (query: string) => {
    const response = await api.request(`/v1/alarms${query}`, {}, { authenticated: true });
    return { status: response.status, text: await response.text() };
  };
  const { text } = await page('?limit=2&session=s1');
  expect(text).not.toContain('/home/ada');
  const first = JSON.parse(text);
  expect(first.alarms.map((alarm: { facts: { tool: string } }) => alarm.facts.tool)).toEqual(['three', 'two']);
  const second = JSON.parse((await page(`?limit=2&session=s1&cursor=${first.nextCursor}`)).text);
  expect(second.alarms).toHaveLength(1);
  expect(JSON.parse((await page('?session=s2')).text).alarms).toEqual([]);
  expect((await page('?cursor=x')).status).toBe(400);
});
