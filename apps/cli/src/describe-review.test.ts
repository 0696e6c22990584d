import type { RequestInfo, ReviewParams } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { describeReview, reviewTitle } from './describe-review.ts';

const params: ReviewParams = {
  review: 'server',
  approval: 'administrator',
  server: {
    name: 'files',
    fingerprint: `sha256:${'a'.repeat(64)}`,
    origin: 'workspace',
    transport: 'stdio',
    command: '/opt/mcp files',
    variables: ['ACCOUNT', 'TOKEN'],
    network: { allow: ['a.example'] },
    package: {
      kind: 'resolved',
      registry: 'npm',
      spec: 'f@1\u001b',
      name: 'f',
      version: '1.0.0',
      integrity: 'sha512-x',
    },
    args: ['--root', "it's", ...Array.from({ length: 500 }, (_, index) => `argument-${index}`), 'the last'],
    local: true,
    sandboxed: false,
    changed: true,
    claimed: { name: 'Good\u001b[31m', version: '1' },
  },
  roots: [
    {
      path: '/home/ada/.ssh',
      access: 'rw',
      risks: ['credential_store', 'outside_project'],
      highRisk: true,
      inProject: false,
    },
    {
      path: '/home/ada/project',
      access: 'ro',
      risks: ['ordinary'],
      highRisk: false,
      inProject: true,
      given: { policies: ['project'] },
    },
  ],
  tools: { total: 3, readOnly: 1, destructive: 2, openWorld: 0, trusted: false },
  scopes: ['session', 'project'],
};

describe('a review for a person', () => {
  it('tells the whole command, where it runs, each root with its risks, and what its tools claim', () => {
    const lines = describeReview(params).map((line) => line.trim().replaceAll(/ {2,}/g, ' '));
    expect(lines).toEqual([
      'server "files", from a file of the workspace',
      expect.stringMatching(/^command '\/opt\/mcp files' --root 'it'\\''s' argument-0 .* argument-499 'the last'$/),
      expect.stringMatching(/^package f 1\.0\.0, sha512-x: what "f@1.*" is now; approving the server pins it$/),
      'variables ACCOUNT, TOKEN (their values are not shown)',
      'runs on this machine, NOT in a sandbox',
      'changed another program, command or address was approved under this name before',
      'claims to be Good 1 (not checked)',
      `fingerprint sha256:${'a'.repeat(64)}`,
      'network only a.example',
      'root /home/ada/.ssh (read and write, HIGH RISK: credential store, outside project)',
      'root /home/ada/project (read only; given without asking, by project)',
      'tools 3: 1 read-only, 2 destructive, 0 reach further (as it says itself)',
      'must be approved by an administrator',
      'may be given for session, project',
    ]);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('says of a root that is a single file that it is one', () => {
    const file = { ...params.roots?.[1], path: '/home/ada/notes.txt', kind: 'file', given: undefined } as never;
    expect(describeReview({ ...params, roots: [file] })).toContainEqual(
      expect.stringMatching(/root +\/home\/ada\/notes\.txt \(read only, file\)$/),
    );
    expect(reviewTitle({ kind: 'review', params: { ...params, review: 'root', roots: [file] } } as RequestInfo)).toBe(
      'may the MCP server "files" have /home/ada/notes.txt (ro, file)',
    );
  });

  it('tells what a yes gives to the session too, and the most that was asked for', () => {
    const joins = { ...params.roots?.[1], given: undefined, joinsSession: true } as never;
    const lines = describeReview({ ...params, roots: [joins], wanted: { scope: 'project' } }).join('\n');
    expect(lines).toMatch(/root .*project \(read only; the session and its agent get it too, and keep it/);
    expect(lines).toMatch(/asked for +every session of this project; a yes gives no more/);
    expect(reviewTitle({ kind: 'review', params: { ...params, review: 'root', roots: [joins] } } as RequestInfo)).toBe(
      'may the MCP server "files", and the agent, have /home/ada/project (ro)',
    );
  });

  it('has a line of its own in a list', () => {
    const title = (asked: object): string | undefined =>
      reviewTitle({ kind: 'review', params: { ...params, ...asked } } as RequestInfo);
    expect(title({})).toMatch(/^may the MCP server "files" \(changed\) run: '\/opt\/mcp files'/);
    expect(title({ review: 'root' })).toBe(
      'may the MCP server "files" have /home/ada/.ssh (rw), /home/ada/project (ro)',
    );
    expect(title({ review: 'call', call: { method: 'tools/call', tool: 'rm' } })).toBe(
      'may rm of the MCP server "files" be called',
    );
    const { roots: _, ...call } = { ...params, review: 'call', call: { method: 'tools/call' } } as const;
    const lines = describeReview(call).map((line) => line.replaceAll(/ +/g, ' '));
    expect(lines).toContain(' counts for this call, once');
    expect(lines.join()).not.toContain('may be given for');
    expect(reviewTitle({ kind: 'permission', params: {} } as RequestInfo)).toBeUndefined();
    expect(reviewTitle({ kind: 'review', params: null } as RequestInfo)).toBeUndefined();
  });
});
