import { ReeveError, type SessionBoundary, type WorkspaceInfo } from '@reeve/protocol';
import type { Actor, ChangeResult } from '../boundary/session-guard.ts';
import type { GovernancePort } from './governance-port.ts';

const BOUNDARY: SessionBoundary = { roots: [{ path: '/home/me', access: 'rw' }], revision: 3 };
const WORKSPACE: WorkspaceInfo = { name: 'shop', roots: BOUNDARY.roots, mcpServers: ['notes'] };
const SERVER = {
  sessionId: 's1' as never,
  name: 'files',
  origin: 'client',
  governed: true,
  state: 'waiting',
  fingerprint: 'sha256:1',
  requests: ['r1' as never],
} as const;
const APPROVAL = {
  id: 'a1',
  decision: 'allow',
  fingerprint: 'sha256:1',
  serverName: 'files',
  scope: 'always',
  trusted: false,
  network: 'none',
  by: 'ada',
  at: 1,
} as const;

/** What the tests' server knows of boundaries: the session `s1` with one root and the server `files`. `said` is what it was told. */
export class FakeGovernancePort implements GovernancePort {
  readonly said: unknown[][] = [];
  /** What becomes of every change. */
  change: ChangeResult = { kind: 'changed', boundary: BOUNDARY, servers: [{ server: 'files', result: 'gone' }] };

  workspaces() {
    return [WORKSPACE];
  }

  async directories(workspace: string, path: string | undefined) {
    if (workspace !== 'shop') return { kind: 'unknown' } as const;
    if (path === '/etc') return { kind: 'outside' } as const;
    if (path === '/gone') return { kind: 'unreadable' } as const;
    return { kind: 'listed', directories: [{ name: 'shop', path: '/projects/shop' }], cut: false } as const;
  }

  async preview(...said: unknown[]) {
    this.said.push(['preview', ...said]);
    const enforcement = { backend: 'bubblewrap', files: 'enforced', network: 'enforced', gaps: [] } as const;
    return { roots: [], servers: [], ungoverned: [], enforcement, issues: [], notes: [] };
  }

  async boundary(session: string) {
    this.#known(session);
    return { sessionId: 's1' as never, ...BOUNDARY, live: true, servers: [] };
  }

  setBoundary(...said: unknown[]) {
    return this.#changed('set', said);
  }

  narrow(...said: unknown[]) {
    return this.#changed('narrow', said);
  }

  revokeRoot(...said: unknown[]) {
    return this.#changed('revoke', said);
  }

  async checkPath(session: string, path: string) {
    this.#known(session);
    return { path, agent: 'none', servers: [], reason: 'it is outside', next: 'Ask.' } as const;
  }

  async requestRoot(session: string, ...said: unknown[]) {
    this.said.push(['request', session, ...said]);
    this.#known(session);
    const requests = [{ server: 'files', request: 'r1' as never }];
    return { kind: 'asked', asked: { granted: [], requests } } as const;
  }

  async grants(...said: unknown[]) {
    this.said.push(['grants', ...said]);
    return [];
  }

  async grant(...said: unknown[]) {
    this.said.push(['grant', ...said]);
    return this.change;
  }

  async revokeGrant(id: string) {
    return id === 'g1';
  }

  async servers() {
    return { servers: [SERVER], approvals: [APPROVAL] };
  }

  async server(session: string, name: string) {
    this.#known(session);
    return name === 'files' ? { ...SERVER, approvals: [], reviews: [], stderrTail: 'oh' } : undefined;
  }

  async retryServer(_session: string, name: string) {
    return name === 'files';
  }

  async decideServer(fingerprint: string, ...said: unknown[]) {
    this.said.push(['decide', fingerprint, ...said]);
    if (fingerprint === 'sha256:1') return { kind: 'decided', decided: { requests: [], changed: [] } } as const;
    return { kind: 'refused', reason: 'nothing waits', next: 'Wait.' } as const;
  }

  async forgetServer(fingerprint: string) {
    return fingerprint === 'sha256:1' ? 2 : 0;
  }

  async permitReveal(session: string | undefined, { label }: Actor) {
    this.said.push(['reveal', session, label]);
    const told = { policies: ['p1'], policyHash: 'sha256:0' };
    if (session !== 's2') return { kind: 'permitted', ...told } as const;
    return { kind: 'refused', reason: 'policies forbid it: p1', next: 'Ask.', ...told } as const;
  }

  async policies() {
    return { hash: 'sha256:0', policies: [] };
  }

  async checkPolicies(...said: unknown[]) {
    this.said.push(['check', ...said]);
    return { ok: true, hash: 'sha256:0', problems: [] };
  }

  async reloadPolicies() {
    return { ok: false, problems: [] };
  }

  async explain(facts: unknown) {
    if (facts !== 'facts') {
      const issue = { path: 'kind', expected: 'what is decided', next: 'Write "call_tool".' };
      return { kind: 'invalid', issues: [issue] } as const;
    }
    return { kind: 'explained', explanation: { words: 'It is allowed.' } } as const;
  }

  async #changed(what: string, said: readonly unknown[]) {
    this.said.push([what, ...said]);
    this.#known(String(said[0]));
    return this.change;
  }

  #known(session: string): void {
    if (session !== 's1') throw new ReeveError('not_found', { message: 'there is no such session' });
  }
}
