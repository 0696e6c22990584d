import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from './default-policy.ts';
import { callTool, circumstances, exposeRoot, root, server } from './facts.rig.ts';
import type { RootFacts, ServerFacts } from './policy-facts.ts';
import { type Outcome, openPolicies, type PolicySet } from './policy-set.ts';

let policies: PolicySet;
beforeAll(async () => {
  const opened = await openPolicies([{ name: 'default.cedar', text: DEFAULT_POLICY }]);
  if (opened.kind === 'invalid') throw new Error(JSON.stringify(opened.problems));
  expect(opened.warnings).toEqual([]);
  policies = opened.set;
});
afterAll(() => policies?.[Symbol.dispose]());

const high: Partial<RootFacts> = { highRisk: true, risks: ['home_directory'] };
const remote: Partial<ServerFacts> = { local: false, sandboxed: false, transport: 'http' };

function exposed(
  of: { server?: Partial<ServerFacts>; root?: Partial<RootFacts>; initiator?: 'reeve' | 'server' | 'person' } = {},
): Outcome {
  const facts = {
    ...exposeRoot,
    server: { ...server, ...of.server },
    root: { ...root, ...of.root },
    initiator: of.initiator ?? exposeRoot.initiator,
  };
  return policies.decide(facts, 1).outcome;
}

describe('the shipped policy', () => {
  it('gives the project to local, confined servers that are known, and asks a person for everything else', () => {
    expect(exposed()).toBe('allow');
    expect(exposed({ root: { inProject: false, risks: ['outside_project'] } })).toBe('ask_user');
    expect(exposed({ root: { inProject: false, risks: ['other_repository'] } })).toBe('ask_user');
    expect(exposed({ server: { sandboxed: false } })).toBe('ask_user');
    expect(exposed({ server: { known: false } })).toBe('ask_user');
  });

  it('asks an administrator for a root of high risk, wherever it lies and whoever asks', () => {
    expect(exposed({ root: high })).toBe('ask_admin');
    expect(exposed({ root: { ...high, inProject: false } })).toBe('ask_admin');
    expect(exposed({ root: high, initiator: 'person' })).toBe('ask_admin');
    expect(exposed({ root: high, server: remote, initiator: 'person' })).toBe('ask_admin');
  });

  it('shows a remote server no root unless a person named it, and asks then', () => {
    expect(exposed({ server: remote })).toBe('deny');
    expect(exposed({ server: remote, initiator: 'server' })).toBe('deny');
    expect(exposed({ server: remote, initiator: 'person' })).toBe('ask_user');
  });

  it('starts a server that a person approved, and asks for a new or changed one', () => {
    const facts = { kind: 'start_server', server, ...circumstances } as const;
    expect(policies.decide(facts, 1).outcome).toBe('allow');
    expect(policies.decide({ ...facts, server: { ...server, known: false } }, 1).outcome).toBe('ask_user');
  });

  it('asks before a destructive call of a server that has not asked for its roots since they changed', () => {
    const harmless = { ...callTool.tool, destructive: false };
    expect(policies.decide(callTool, 1).outcome).toBe('allow');
    expect(policies.decide({ ...callTool, staleRoots: true }, 1).outcome).toBe('ask_user');
    const trusted = { ...server, trusted: true };
    const stale = { ...callTool, staleRoots: true };
    expect(policies.decide({ ...stale, server: trusted }, 1).outcome).toBe('ask_user');
    expect(policies.decide({ ...stale, server: trusted, tool: harmless }, 1).outcome).toBe('allow');
  });

  it('believes only a trusted server with old roots that its call is not destructive', () => {
    const harmless = { ...callTool.tool, readOnly: true, destructive: false };
    const facts = { ...callTool, tool: harmless };
    expect(policies.decide(facts, 1).outcome).toBe('allow');
    const stale = policies.decide({ ...facts, staleRoots: true }, 1);
    expect(stale).toMatchObject({ outcome: 'ask_user', policies: expect.arrayContaining(['stale-roots']) });
  });

  it('lets people grant ordinary roots and administrators those of high risk', () => {
    const facts = { kind: 'grant', server, root, access: 'rw', ...circumstances } as const;
    expect(policies.decide(facts, 1).outcome).toBe('allow');
    expect(policies.decide({ ...facts, root: { ...root, ...high } }, 1).outcome).toBe('ask_admin');
  });

  it('shows the paths behind audit records to administrators', () => {
    const facts = { kind: 'reveal_path', ...circumstances } as const;
    expect(policies.decide(facts, 1).outcome).toBe('ask_admin');
    expect(policies.decide({ ...facts, user: { id: 'root', administrator: true } }, 1).outcome).toBe('allow');
  });
});
