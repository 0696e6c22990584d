import { describe, expect, it } from 'vitest';
import { loadCedar } from './cedar.ts';
import { cedarRequest } from './cedar-request.ts';
import { callTool, circumstances, exposeRoot, root, server } from './facts.rig.ts';
import type { PolicyFacts } from './policy-facts.ts';
import { POLICY_SCHEMA } from './policy-schema.ts';
import { readPolicyFacts } from './read-policy-facts.ts';

const EVERY: readonly PolicyFacts[] = [
  exposeRoot,
  { ...exposeRoot, root: { ...root, repository: 'github.com/acme/app' } },
  callTool,
  { kind: 'start_server', server, ...circumstances },
  { kind: 'grant', server, root, access: 'ro', ...circumstances },
  { kind: 'reveal_path', ...circumstances },
];

describe('facts', () => {
  it('are read as they are', () => {
    for (const facts of EVERY) {
      expect(readPolicyFacts(JSON.parse(JSON.stringify(facts)))).toEqual({ kind: 'facts', facts });
    }
  });

  it('fit the schema of policies, for every action', async () => {
    const cedar = await loadCedar();
    for (const facts of EVERY) {
      const { context, ...request } = cedarRequest(facts);
      const answer = cedar.isAuthorized({
        ...request,
        context: context('user'),
        schema: POLICY_SCHEMA,
        validateRequest: true,
        policies: { staticPolicies: 'permit (principal, action, resource);' },
      });
      expect(answer).toMatchObject({ type: 'success', response: { decision: 'allow' } });
    }
  });

  it.each([
    [null, 'kind'],
    [{ ...exposeRoot, kind: 'delete' }, 'kind'],
    [{ ...exposeRoot, access: 'read' }, 'access'],
    [{ ...exposeRoot, server: undefined }, 'server'],
    [{ ...exposeRoot, server: { ...server, local: 'yes' } }, 'server.local'],
    [{ ...exposeRoot, server: { ...server, name: '' } }, 'server.name'],
    [{ ...exposeRoot, server: { ...server, name: 'x'.repeat(1025) } }, 'server.name'],
    [{ ...exposeRoot, root: { ...root, risks: [] } }, 'root.risks'],
    [{ ...exposeRoot, root: { ...root, risks: ['ordinary', 'ordinary'] } }, 'root.risks'],
    [{ ...exposeRoot, root: { ...root, depth: -1 } }, 'root.depth'],
    [{ ...exposeRoot, root: { ...root, path: '/home/me' } }, 'root.path'],
    [{ ...callTool, root }, 'root'],
  ])('%#: that are wrong are refused with the place and the next step', (value, path) => {
    expect(readPolicyFacts(value)).toEqual({
      kind: 'invalid',
      issues: [{ path, expected: expect.any(String), next: expect.stringMatching(/\.$/) }],
    });
  });

  it('that are wrong in many places are told 20 of them', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`extra${at}`, at]));
    expect(readPolicyFacts({ ...exposeRoot, ...many })).toMatchObject({ issues: { length: 20 } });
  });
});
