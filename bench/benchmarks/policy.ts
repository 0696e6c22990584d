import {
  type Boundary,
  DEFAULT_POLICY,
  diffBoundary,
  type ExposeRootFacts,
  narrow,
  normalRoots,
  openPolicies,
  type PolicySet,
  type RootFacts,
  widen,
} from '@reeve/policy';
import { exposeRoot } from '../../packages/policy/src/facts.rig.ts';
import type { Benchmark, Figure, Goal } from '../benchmark.ts';
import { median } from '../statistics.ts';

const REEVE = 'Reeve';

/** Allowed at once: one evaluation. The other two take two and three, one for each approval that is tried. */
const allowed: ExposeRootFacts = exposeRoot;

function withRoot(root: Partial<RootFacts>): ExposeRootFacts {
  return { ...allowed, root: { ...allowed.root, ...root } };
}

const CASES = [
  { what: 'decision: allow', facts: allowed },
  { what: 'decision: ask a user', facts: withRoot({ inProject: false, risks: ['outside_project'] }) },
  { what: 'decision: ask an administrator', facts: withRoot({ highRisk: true, risks: ['home_directory'] }) },
] as const;

export const policy: Benchmark = {
  name: 'policy',
  title: 'Deciding by the shipped policies, and the algebra of 10,000 roots',
  async run({ quick, rounds, note }) {
    const figures: Figure[] = [];
    const from = performance.now();
    const opened = await openPolicies([{ name: 'default.cedar', text: DEFAULT_POLICY }]);
    figures.push({ who: REEVE, what: 'load Cedar, open', unit: 'ms', samples: [performance.now() - from] });
    if (opened.kind === 'invalid') throw new Error('the shipped policy is wrong');
    using set = opened.set;
    const times = quick ? 200 : 2000;
    for (const { what, facts } of CASES) {
      const fresh = Array.from({ length: rounds }, () => median(timed(times, uncached(set, facts))));
      figures.push({ who: REEVE, what: `${what}, p50`, unit: 'ms', samples: fresh });
      note(`${what}: ${median(fresh).toFixed(3)} ms`);
    }
    const cached = Array.from({ length: rounds }, () => median(timed(times, () => set.decide(allowed, 0))) * 1000);
    figures.push({ who: REEVE, what: 'cached, p50', unit: 'µs', samples: cached });
    const algebra = algebraFigures(rounds);
    return { figures: [...figures, ...algebra], goals: goals(figures, algebra), faults: [], remarks: [] };
  },
};

/** Each time another revision, so that nothing is remembered. */
function uncached(set: PolicySet, facts: ExposeRootFacts): () => void {
  let revision = 1_000_000 * Math.random();
  return () => set.decide(facts, ++revision);
}

/** Milliseconds of each call. */
function timed(times: number, work: () => void): number[] {
  return Array.from({ length: times }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
}

function algebraFigures(rounds: number): Figure[] {
  const roots = Array.from({ length: 10_000 }, (_, at) => ({
    path: `/home/me/projects/team-${at % 100}/project-${at}/src`,
    access: at % 3 === 0 ? ('ro' as const) : ('rw' as const),
  }));
  const many: Boundary = { roots, network: 'full', revision: 1 };
  const fewer: Boundary = { ...many, roots: roots.filter((_, at) => at % 2 === 0).toReversed() };
  const operations = {
    narrow: () => narrow(many, fewer),
    widen: () => widen(fewer, many),
    diff: () => diffBoundary(many, fewer),
    'normal form': () => normalRoots(roots),
  };
  return Object.entries(operations).map(([name, work]) => {
    timed(2, work);
    return { who: REEVE, what: `10,000 roots: ${name}`, unit: 'ms', samples: timed(rounds + 4, work) };
  });
}

function goals(decisions: readonly Figure[], algebra: readonly Figure[]): Goal[] {
  const value = (name: string): number => median(decisions.find(({ what }) => what.startsWith(name))?.samples ?? []);
  const [allow, cached] = [value('decision: allow'), value('cached')];
  const slowest = Math.max(...algebra.map(({ samples }) => median(samples)));
  return [
    {
      what: 'one evaluation of 11 policies, p50',
      goal: '≤ 0.2 ms',
      value: `${allow.toFixed(3)} ms`,
      met: allow <= 0.2,
    },
    { what: 'a remembered decision, p50', goal: '≤ 5 µs', value: `${cached.toFixed(1)} µs`, met: cached <= 5 },
    { what: 'an operation on 10,000 roots', goal: '≤ 50 ms', value: `${slowest.toFixed(0)} ms`, met: slowest <= 50 },
  ];
}
