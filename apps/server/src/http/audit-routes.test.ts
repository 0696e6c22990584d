import type { AuditKind, AuditPage, AuditVerdict } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { type AuditRig, answered, startAuditRig } from '../audit/audit-log.rig.ts';
import { verifyExport } from '../audit/verify-export.ts';
import { type ControlApi, createControlApi } from './control-api.ts';
import { FakeControlPort } from './fake-control-port.ts';
import { FakeGovernancePort } from './fake-governance-port.ts';

let rig: AuditRig;
let api: ControlApi;
const governance = new FakeGovernancePort();
beforeAll(async () => {
  rig = await startAuditRig();
  api = createControlApi({
    port: new FakeControlPort(),
    governance,
    audit: rig.log,
    version: '1',
    maxBodyBytes: 100_000,
    heartbeatMs: 1000,
  });
  for (let count = 0; count < 5; count += 1) await rig.log.record(answered('s1', [`/home/ada/a/${count}`]));
  for (let count = 0; count < 5; count += 1) await rig.log.record(answered('s2', [`/home/ada/ab/${count}`]));
});
afterAll(() => rig[Symbol.asyncDispose]());

const get = async (path: string): Promise<Response> => api.request(path, {}, { authenticated: true });
const post = async (path: string, body?: unknown): Promise<Response> =>
  api.request(
    path,
    {
      method: 'POST',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    },
    { authenticated: true },
  );
const page = async (query: string): Promise<AuditPage> => (await get(`/v1/audit${query}`)).json() as Promise<AuditPage>;
const numbers = ({ records }: AuditPage): number[] => records.map(({ seq }) => seq);

describe('GET /v1/audit', () => {
  it('gives the newest records first, page by page', async () => {
    const first = await page('?limit=4');
    expect(numbers(first)).toEqual([10, 9, 8, 7]);
    expect(numbers(await page(`?limit=4&cursor=${first.nextCursor}`))).toEqual([6, 5, 4, 3]);
    expect(numbers(await page('?order=oldest&limit=2'))).toEqual([0, 1]);
  });

  it('finds what is under a directory by its path, and not what only begins with the same letters', async () => {
    expect(numbers(await page('?order=oldest&under=/home/ada/a'))).toEqual([1, 2, 3, 4, 5]);
    expect(numbers(await page('?under=/home/ada/ab/3'))).toEqual([9]);
    expect(numbers(await page('?under=/home/ada&session=s2&order=oldest'))).toEqual([6, 7, 8, 9, 10]);
    expect(numbers(await page('?under=/home/bob'))).toEqual([]);
  });

  it('finds by kind, decision and time', async () => {
    expect(numbers(await page('?kind=server.started'))).toEqual([0]);
    expect(numbers(await page('?decision=deny'))).toEqual([]);
    expect(numbers(await page('?until=2020-01-01'))).toEqual([]);
    expect(numbers(await page('?since=2020-01-01T00:00:00Z&limit=1'))).toEqual([10]);
  });

  it('names the kinds of the same topic where one is none', async () => {
    expect(await (await get('/v1/audit?kind=session.began')).json()).toMatchObject({
      next: 'Send one of session.created, session.ended, session.forked.',
    });
    expectTypeOf<AuditFact['kind']>().toEqualTypeOf<AuditKind>();
  });

  it('says what was expected where a filter is none', async () => {
    for (const query of [
      '?under=relative',
      '?kind=nosuch',
      '?decision=maybe',
      '?since=soon',
      '?limit=0',
      '?limit=1001',
      '?order=up',
      '?cursor=-1',
    ]) {
      const response = await get(`/v1/audit${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ name: 'invalid_params', next: expect.stringMatching(/^Send /) });
    }
  });
});

describe('the audit log over HTTP', () => {
  it('gives a checkpoint, with the proof that an earlier log is its beginning', async () => {
    expect(await (await get('/v1/audit/checkpoint')).json()).toMatchObject({ size: 11, key: rig.log.publicKey });
    expect(await (await get('/v1/audit/checkpoint?from=4')).json()).toMatchObject({ consistency: expect.any(Array) });
    for (const from of [0, 12]) expect((await get(`/v1/audit/checkpoint?from=${from}`)).status).toBe(400);
  });

  it('gives an export that can be checked without it, whole or in part, and one for OCSF', async () => {
    for (const [query, records] of [
      ['', 11],
      ['?under=/home/ada/a', 5],
    ] as const) {
      const lines = (await (await get(`/v1/audit/export${query}`)).text()).split('\n');
      expect(await verifyExport(lines, { keys: [rig.log.publicKey] })).toMatchObject({ kind: 'intact', records });
    }
    const events = (await (await get('/v1/audit/export?format=ocsf&session=s1')).text()).trim().split('\n');
    expect(events).toHaveLength(5);
  });

  it('checks its own log, also against a checkpoint of its caller', async () => {
    expect((await (await post('/v1/audit/verify')).json()) as AuditVerdict).toMatchObject({
      kind: 'intact',
      records: 11,
    });
    const foreign = await startAuditRig();
    const checkpoints = [await foreign.log.checkpoint()];
    await foreign[Symbol.asyncDispose]();
    expect(await (await post('/v1/audit/verify', { checkpoints })).json()).toMatchObject({ kind: 'damaged' });
    expect((await post('/v1/audit/verify', { keys: ['x'] })).status).toBe(400);
  });

  it('reveals paths once that is recorded, and says why there are none', async () => {
    const shown = await (await post('/v1/audit/3/reveal')).json();
    expect(shown).toMatchObject({ paths: [{ path: '/home/ada/a/2' }] });
    expect(numbers(await page('?kind=audit.path_revealed'))).toHaveLength(1);
    for (const seq of ['0', '999', 'x']) expect((await post(`/v1/audit/${seq}/reveal`)).status).toBe(404);
  });

  it('reveals no path where policies forbid that, and says which and what can be done', async () => {
    const response = await post('/v1/audit/8/reveal');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      name: 'forbidden',
      detail: 'policies forbid it: p1',
      next: 'Ask.',
      data: { policies: ['p1'], policyHash: 'sha256:0' },
    });
    expect(governance.said).toContainEqual(['reveal', 's2', 'http-api']);
    expect(await page('?kind=audit.reveal_refused')).toMatchObject({ records: [{ cause: '8', decision: 'deny' }] });
  });

  it('exports what policies decided by which facts, as "reeve policy test" takes it', async () => {
    const facts = {
      kind: 'reveal_path',
      user: { id: 'auditor', administrator: false },
      agent: 'codex',
      session: { id: 's1', enforced: true },
    } as const;
    const told = { policies: ['p1'], policyHash: 'sha256:0' };
    await rig.log.record({ kind: 'policy.decided', session: 's1', decision: 'ask_admin', case: facts, ...told });
    const lines = (await (await get('/v1/audit/export?format=decisions')).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { seq: expect.any(Number), at: expect.any(Number), session: 's1', facts, outcome: 'ask_admin', ...told },
    ]);
    expect(await (await get('/v1/audit/export?format=decisions&session=s2')).text()).toBe('');
  });

  it('is described in the OpenAPI document', async () => {
    const { paths } = (await (await get('/v1/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths).filter((path) => path.startsWith('/v1/audit'))).toHaveLength(6);
  });
});
