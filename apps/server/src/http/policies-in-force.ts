import { explainDecision, openPolicies, readPolicyFacts } from '@reeve/policy';
import type { PolicyCheckInfo } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import { readPolicyFiles } from '../boundary/read-policy-files.ts';
import type { GovernancePort } from './governance-port.ts';

type Policies = Pick<GovernancePort, 'policies' | 'checkPolicies' | 'reloadPolicies' | 'explain'>;

/** The policies by which boundaries are decided. `paths`: the files that the configuration names. */
export function policiesInForce(boundaries: Boundaries, paths: readonly string[]): Policies {
  return {
    async policies() {
      const { hash, policies } = await boundaries.policies();
      return { hash, policies };
    },
    async checkPolicies(files): Promise<PolicyCheckInfo> {
      const opened = await openPolicies(files, { maxRemembered: 0 });
      if (opened.kind === 'invalid') return { ok: false, problems: opened.problems };
      using set = opened.set;
      return { ok: true, hash: set.hash, problems: opened.warnings };
    },
    async reloadPolicies(by): Promise<PolicyCheckInfo> {
      const read = await readPolicyFiles(paths);
      if (read.kind === 'unreadable') return { ok: false, problems: read.problems };
      const loaded = await boundaries.loadPolicies(read.files, by);
      if (loaded.kind === 'invalid') return { ok: false, problems: loaded.problems };
      return { ok: true, hash: loaded.hash, problems: loaded.warnings };
    },
    async explain(facts) {
      const read = readPolicyFacts(facts);
      if (read.kind !== 'facts') return { kind: 'invalid', issues: read.issues };
      return { kind: 'explained', explanation: explainDecision(await boundaries.policies(), read.facts) };
    },
  };
}
