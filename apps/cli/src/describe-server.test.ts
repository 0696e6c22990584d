import { describe, expect, it } from 'vitest';
import { describeServer, heldBy, serverLines } from './describe-server.ts';

const server = {
  sessionId: 's' as never,
  name: 'files',
  origin: 'client',
  governed: true,
  state: 'running',
  fingerprint: 'sha256:1',
  roots: [{ path: '/home/ada/project', access: 'ro' }],
  revision: 2,
  enforcement: { backend: 'bubblewrap', fs: 'enforced', gaps: ['limits: memory is looked at'] },
  identity: {
    name: 'files',
    fingerprint: 'sha256:1',
    origin: 'client',
    transport: 'stdio',
    command: 'npx',
    args: ['files server', '--all', 'x'.repeat(5000)],
    local: true,
    sandboxed: true,
    changed: false,
  },
  tools: { total: 3, readOnly: 1, destructive: 2, openWorld: 0, trusted: false },
  requests: [],
  approvals: [],
  reviews: [],
} as const;

const plain = (lines: readonly string[]): string[] => lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' '));

describe('an MCP server for a person', () => {
  it('is told once though a file of the project names another, with what that means', () => {
    const lines = plain(describeServer({ ...server, alsoIn: ['/home/ada/project/.mcp.json'] }));
    expect(lines).toContain('also in /home/ada/project/.mcp.json: the agent may start that one itself, past Reeve');
    expect(lines.filter((line) => line.startsWith('mcp server'))).toHaveLength(1);
  });

  it('is listed with the file that names it where the agent brings it, and with those that name another', () => {
    const own = {
      ...server,
      name: 'own',
      origin: 'agent',
      governed: false,
      from: '/home/ada/p/opencode.json',
    } as const;
    const lines = serverLines([{ ...server, alsoIn: ['/home/ada/project/.mcp.json'] }, own]);
    expect(lines.find((line) => line.startsWith('own '))).toMatch(
      /\/home\/ada\/p\/opencode\.json +running +nothing: ungov/,
    );
    expect(lines.at(-1)).toBe(
      '* "files" of s is also in /home/ada/project/.mcp.json: the agent may start that one itself, past Reeve',
    );
  });

  it('is not said to use anything where it does not run', () => {
    for (const state of ['waiting', 'refused', 'failed', 'stopped'] as const) {
      const lines = plain(describeServer({ ...server, state }));
      expect(lines).toContain('would be let read /home/ada/project');
      expect(lines.filter((line) => line.startsWith('may '))).toEqual([]);
    }
  });

  it('is told with what holds it, what it may reach, its gaps and who approved it', () => {
    const approval = {
      id: 'a',
      decision: 'allow',
      fingerprint: 'sha256:1',
      serverName: 'files',
      scope: 'project',
      trusted: true,
      network: 'none',
      by: 'http-api',
      at: 0,
      expiresAt: 86_400_000,
    } as const;
    expect(plain(describeServer({ ...server, approvals: [approval] }))).toEqual([
      'mcp server "files", running, from the client of the session',
      'held by bubblewrap',
      'may read /home/ada/project',
      'gap: limits: memory is looked at',
      `command npx 'files server' --all ${'x'.repeat(5000)}`,
      'runs on this machine, in a sandbox',
      'fingerprint sha256:1',
      'tools 3: 1 read-only, 2 destructive, 0 reach further (as it says itself)',
      'boundary revision 2',
      'approved by http-api at 1970-01-01T00:00:00Z, for its project, until 1970-01-02T00:00:00Z, trusted',
    ]);
  });

  it('is told as ungoverned where Reeve has nothing to do with it', () => {
    const { enforcement: _, identity: _identity, tools: _tools, ...left } = server;
    const own = {
      ...left,
      origin: 'agent',
      governed: false,
      state: 'unknown',
      from: '/home/ada/.codex/config.toml',
    } as const;
    const [first, second] = plain(describeServer(own));
    expect(first).toBe('mcp server "files", not known how it is, from /home/ada/.codex/config.toml');
    expect(second).toBe('ungoverned: it runs with all that the agent has, and Reeve sees none of its calls');
    expect(heldBy(own)).toBe('nothing: ungoverned');
  });

  it('is told as declared where nothing confines it, and as elsewhere where it has no process here', () => {
    expect(heldBy({ ...server, enforcement: { backend: 'none' } })).toBe('nothing: declared');
    expect(heldBy({ ...server, enforcement: undefined })).toBe('not this machine');
    expect(heldBy({ ...server, state: 'waiting', enforcement: undefined })).toBe('');
  });
});
