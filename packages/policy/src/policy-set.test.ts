import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from './default-policy.ts';
import { exposeRoot, root } from './facts.rig.ts';
import { openPolicies, type PolicySet } from './policy-set.ts';

async function opened(text: string, maxRemembered?: number): Promise<PolicySet> {
  const answer = await openPolicies([{ name: 'p.cedar', text }], maxRemembered === undefined ? {} : { maxRemembered });
  if (answer.kind === 'invalid') throw new Error(JSON.stringify(answer.problems));
  return answer.set;
}

describe('a decision', () => {
  it('names the policies that forbid without approval and those that decide in the end, and the hash of the set', async () => {
    using set = await opened(DEFAULT_POLICY);
    expect(set.decide({ ...exposeRoot, root: { ...root, highRisk: true } }, 1)).toEqual({
      outcome: 'ask_admin',
      policies: ['high-risk-needs-administrator', 'ask', 'project-to-confined-servers'],
      policyHash: set.hash,
      steps: [
        { approval: 'none', allowed: false, policies: ['high-risk-needs-administrator'] },
        { approval: 'user', allowed: false, policies: ['high-risk-needs-administrator'] },
        { approval: 'administrator', allowed: true, policies: ['ask', 'project-to-confined-servers'] },
      ],
      failed: [],
    });
  });

  it('is to refuse where no policy permits', async () => {
    using set = await opened('');
    expect(set.decide(exposeRoot, 1)).toMatchObject({ outcome: 'deny', policies: [] });
  });

  it('allows nothing when a policy that applies cannot be evaluated', async () => {
    using set = await opened(`@id("all") permit (principal, action, resource);
      @id("sum") forbid (principal, action, resource is Root) when { resource.depth + 9223372036854775807 == 0 };`);
    expect(set.decide(exposeRoot, 1)).toMatchObject({ outcome: 'deny', failed: ['sum'], policies: ['sum'] });
  });

  it('sees every fact that policies may look at', async () => {
    using set =
      await opened(`@id("p") permit (principal == Server::"sha256:5f2b", action == Action::"expose_root", resource)
      when { resource has repository && resource.repository == "github.com/acme/app" && resource.depth < 4
        && resource.risks.contains("hard_links") && !resource.file && context.agent == "codex" && context.session.enforced
        && context.user.id == "me" && context.access == "rw" && principal.origin == "client" };`);
    const facts = {
      ...exposeRoot,
      root: { ...root, repository: 'github.com/acme/app', risks: ['hard_links'] as const },
    };
    expect(set.decide(facts, 1).outcome).toBe('allow');
    expect(set.decide(exposeRoot, 1).outcome).toBe('deny');
    expect(set.decide({ ...facts, access: 'ro' }, 1).outcome).toBe('deny');
  });
});

describe('a set of policies', () => {
  it('remembers a decision by revision and facts, and forgets the oldest', async () => {
    using set = await opened(DEFAULT_POLICY, 2);
    const first = set.decide(exposeRoot, 1);
    expect(set.decide({ ...exposeRoot }, 1)).toBe(first);
    expect(set.decide(exposeRoot, 2)).not.toBe(first);
    expect(set.decide({ ...exposeRoot, access: 'ro' }, 1)).not.toBe(first);
    expect(set.decide(exposeRoot, 1)).not.toBe(first);
  });

  it('may be told to remember nothing', async () => {
    using set = await opened(DEFAULT_POLICY, 0);
    expect(set.decide(exposeRoot, 1)).not.toBe(set.decide(exposeRoot, 1));
  });

  it('has another hash when a policy differs, and the same one for the same policies', async () => {
    using one = await opened(DEFAULT_POLICY);
    using same = await opened(`// with a note\n${DEFAULT_POLICY}`);
    using other = await opened(DEFAULT_POLICY.replace('resource.inProject', '!resource.inProject'));
    expect(one.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(same.hash).toBe(one.hash);
    expect(other.hash).not.toBe(one.hash);
  });

  it('decides by itself, whatever other sets are open, and permits nothing once it is disposed of', async () => {
    const free = await opened('@id("all") permit (principal, action, resource);', 0);
    using strict = await opened(DEFAULT_POLICY, 0);
    const facts = { ...exposeRoot, root: { ...root, inProject: false } };
    expect([free.decide(facts, 1).outcome, strict.decide(facts, 1).outcome]).toEqual(['allow', 'ask_user']);
    free[Symbol.dispose]();
    free[Symbol.dispose]();
    expect(free.decide(facts, 1).outcome).toBe('deny');
    expect(strict.decide(facts, 1).outcome).toBe('ask_user');
  });
});
