import type { RequestId, ReviewParams, ReviewRoot } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { reviewPermission } from './review-permission.ts';

const params: ReviewParams = {
  review: 'server',
  approval: 'user',
  server: {
    name: 'files',
    fingerprint: 'sha256:0',
    origin: 'client',
    transport: 'stdio',
    command: 'npx',
    args: ['files@latest', 'a b'],
    variables: ['ACCOUNT', 'TOKEN'],
    package: {
      kind: 'resolved',
      registry: 'npm',
      spec: 'files@latest',
      name: 'files',
      version: '1.2.3',
      integrity: 'sha512-x',
    },
    local: true,
    sandboxed: true,
    changed: true,
  },
  roots: [{ path: '/projects/a', access: 'ro', risks: ['ordinary'], highRisk: false, inProject: true }],
  scopes: ['session', 'project'],
};
const permission = (version: 1 | 2, members: Partial<ReviewParams> = {}) =>
  reviewPermission('r1' as RequestId, { ...params, ...members }, version === 2 ? { protocolVersion: 2 } : {});

describe('a review in the words of a permission', () => {
  it('tells in v1 and v2 the same: what runs, whole, with its package, the names of its variables, and its roots', () => {
    const { title, description, options, ...second } = permission(2);
    const first = permission(1);
    expect(first).toMatchObject({
      toolCall: { toolCallId: 'review-r1', title, content: [{ content: { text: description } }] },
      options,
    });
    expect(second).toEqual({ _meta: first._meta });
    expect(title).toBe('Start the changed MCP server "files"');
    expect(String(description).split('\n')).toEqual([
      'Command: "npx" "files@latest" "a b"',
      'Package: files 1.2.3, sha512-x: what "files@latest" is now; approving the server pins it',
      'Variables: ACCOUNT, TOKEN (their values are not shown)',
      'On this machine, held to its roots by the operating system',
      'Directory: /projects/a (ro; ordinary)',
      'Fingerprint: sha256:0',
    ]);
  });

  it.each([
    [{ scopes: ['session'] }, ['allow_once', 'reject_once']],
    [{ scopes: ['session', 'project', 'always'] }, ['allow_once', 'allow_always', 'reject_once']],
  ] as const)('offers what the answer may be given for: %j', (members, ids) => {
    for (const version of [1, 2] as const)
      expect(permission(version, members)).toMatchObject({ options: ids.map((optionId) => ({ optionId })) });
  });

  it('says all that a yes gives: of the network, of what is given without asking, of what the command line leaves', () => {
    const root = {
      ...(params.roots?.[0] as ReviewRoot),
      given: { policies: ['the-project'] },
      only: ['/projects/a/src'],
    };
    const server = { ...params.server, network: { allow: ['a.example'] } };
    expect(String(permission(2, { server, roots: [root] }).description).split('\n')).toEqual(
      expect.arrayContaining([
        'Network: only a.example',
        'Directory: /projects/a (ro; ordinary; given without asking, by the-project; of it only /projects/a/src, since its command line names no more)',
      ]),
    );
  });

  it('says that the agent gets a root too, and what it was asked for', () => {
    const root = { ...(params.roots?.[0] as ReviewRoot), joinsSession: true as const };
    const { title, description } = permission(2, { review: 'root', roots: [root], wanted: { scope: 'session' } });
    expect(title).toBe('Show directories to the MCP server "files", and to the agent');
    expect(description).toMatch(/its agent get it too[\s\S]*Asked for: this session; a yes gives no more/);
  });
});
