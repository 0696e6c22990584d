import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuditFact } from './audit-fact.ts';
import { startAuditRig } from './audit-log.rig.ts';
import type { StoredRecord } from './audit-record.ts';
import type { GovernanceFact } from './governance-fact.ts';
import { ocsfEvent } from './ocsf-event.ts';

const PLANTED = '/home/ada/planted/project';
const server = { name: 'files', fingerprint: 'sha256:1', transport: 'stdio', origin: 'client' } as const;
const session = 's1';
const verdict = { policies: ['tools'], policyHash: 'sha256:2' };
const roots = [{ path: PLANTED, access: 'rw' as const }];
const person = { by: 'alice 1.0', scope: 'project', expiresAt: 9, request: 'r-1' } as const;
const enforcement = {
  backend: 'bubblewrap',
  fs: 'enforced',
  network: 'enforced',
  limits: 'declared',
  gaps: [`files: ${PLANTED} is a link`],
};

/** One of each kind, with what must not be kept wherever it could come in. */
const FACTS: readonly GovernanceFact[] = [
  {
    kind: 'mcp.admitted',
    session,
    server,
    decision: 'allow',
    approval: 'user',
    by: 'alice',
    request: 'r-1',
    ...verdict,
  },
  { kind: 'mcp.refused', session, server, decision: 'deny', approval: 'policy', ...verdict },
  { kind: 'mcp.confined', session, server, enforcement },
  { kind: 'mcp.approved', server, session, trusted: true, network: ['example.org'], ...person },
  { kind: 'mcp.denied', server, trusted: false, ...person },
  { kind: 'mcp.forgotten', by: 'alice', fingerprint: 'sha256:1', decisions: 2 },
  { kind: 'grant.given', server, session, roots, ...person },
  { kind: 'grant.denied', server, roots, ...person },
  { kind: 'grant.revoked', server, roots, ...person },
  { kind: 'grant.expired', server, roots, scope: 'always', expiresAt: 9 },
  {
    kind: 'roots.exposed',
    session,
    server,
    revision: 2,
    initiator: 'server',
    roots,
    again: false,
    given: [{ policies: ['tools'], grant: { id: 'g-1', by: 'alice 1.0', scope: 'project', expiresAt: 9 }, roots: [0] }],
    undecided: 1,
    policyHash: 'sha256:2',
  },
  {
    kind: 'mcp.called',
    session,
    server,
    agent: 'codex',
    method: 'tools/call',
    tool: `read ${PLANTED}`,
    decision: 'allow',
    outcome: 'completed',
    startRevision: 1,
    endRevision: 2,
    by: 'alice 1.0',
    request: 'r-1',
    paths: Array.from({ length: 70 }, (_, index) => ({ path: `${PLANTED}/${index}` })),
    ...verdict,
  },
  { kind: 'boundary.changed', session, by: 'alice', revision: 3, direction: 'narrower', roots, network: 'none' },
  { kind: 'boundary.revised', session, server, revision: 4, direction: 'narrower' },
  { kind: 'mcp.expired', session, server, expired: 'allow', scope: 'session', expiresAt: 9 },
  { kind: 'mcp.withdrawn', session, server, revision: 4, cause: 'policy', ...verdict },
  { kind: 'boundary.verified', session, server, revision: 3, result: 'gone' },
  { kind: 'root.lost', session, root: { path: PLANTED, access: 'rw' }, how: 'replaced', revision: 3 },
  { kind: 'root.back', session, root: { path: PLANTED, access: 'rw' }, revision: 3 },
  {
    kind: 'boundary.alarm',
    session,
    server,
    from: 'agent',
    place: { path: PLANTED },
    tool: 'read_file',
    revision: 3,
    count: 1,
  },
  {
    kind: 'policy.decided',
    session,
    decision: 'allow',
    case: {
      kind: 'reveal_path',
      user: { id: `auditor\u0000${'x'.repeat(2000)}`, administrator: true },
      agent: 'codex',
      session: { id: 's', enforced: true },
    },
    ...verdict,
  },
  { kind: 'policy.loaded', by: 'alice', ...verdict },
];

describe('what is recorded of boundaries and MCP servers', () => {
  it('names server, revision, decision and policies, and no path, argument or command', async () => {
    await using rig = await startAuditRig();
    for (const fact of FACTS) await rig.log.record(fact);
    const records = (await rig.records()).slice(1);
    expect(records.map(({ kind }) => kind)).toEqual(FACTS.map(({ kind }) => kind));
    expect(JSON.stringify(records)).not.toContain('planted');
    const called = records.find(({ kind }) => kind === 'mcp.called');
    expect(called).toMatchObject({
      session,
      decision: 'allow',
      facts: {
        server,
        agent: 'codex',
        method: 'tools/call',
        tool: 'other',
        outcome: 'completed',
        startRevision: 1,
        endRevision: 2,
        moreLocations: 6,
        ...verdict,
      },
    });
    expect(called?.places).toHaveLength(64);
    expect(called).toMatchObject({ by: 'alice 1.0', cause: 'r-1' });
    expect(records.find(({ kind }) => kind === 'roots.exposed')?.facts).toMatchObject({
      given: [{ policies: ['tools'], grant: { id: 'g-1', by: 'alice 1.0', expiresAt: 9 }, roots: [0] }],
    });
    const given = records.find(({ kind }) => kind === 'grant.given');
    expect(given).toMatchObject({ by: 'alice 1.0', cause: 'r-1', facts: { scope: 'project', expiresAt: 9, server } });
    expect(given?.places).toMatchObject([{ label: rig.log.labelOf(PLANTED), access: 'rw' }]);
    expect(records.find(({ kind }) => kind === 'mcp.confined')?.facts).toMatchObject({
      enforcement: { gaps: ['files'], verified: 'machine' },
    });
  });

  it('tells who kept a call from its server, and OCSF that it was denied', async () => {
    await using rig = await startAuditRig();
    const called = FACTS.find(({ kind }) => kind === 'mcp.called') as AuditFact;
    await rig.log.record({ ...called, decision: 'deny', outcome: 'refused', refusedBy: 'person' } as AuditFact);
    const { records } = await rig.store.read({ order: 'newest', limit: 1 });
    const event = ocsfEvent(records[0] as StoredRecord, { origin: rig.log.origin, key: rig.log.publicKey });
    expect(event).toMatchObject({ action: 'Denied' });
    expect((await rig.records()).at(-1)?.facts).toMatchObject({ outcome: 'refused', refusedBy: 'person' });
  });

  it('is found by the directory that it is about', async () => {
    await using rig = await startAuditRig();
    for (const fact of FACTS) await rig.log.record(fact);
    const label = rig.log.labelOf('/home/ada') as string;
    const { records } = await rig.store.read({ order: 'oldest', limit: 100, label });
    const kinds = records.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    expect(kinds).toContain('mcp.called');
    expect(kinds).toContain('boundary.alarm');
    expect(kinds).not.toContain('policy.loaded');
  });

  it('is documented kind by kind, and has a class of OCSF', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/audit.md'), 'utf8');
    await using rig = await startAuditRig();
    for (const fact of FACTS) {
      expect(page).toContain(`\`${fact.kind}\``);
      await rig.log.record(fact);
    }
    const { records } = await rig.store.read({ order: 'oldest', limit: 100 });
    for (const record of records) {
      const event = ocsfEvent(record, { origin: rig.log.origin, key: rig.log.publicKey });
      expect(event.class_uid).not.toBe(0);
    }
  });
});
