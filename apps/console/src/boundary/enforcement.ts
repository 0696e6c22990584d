import { isObject } from '@reeve/protocol';
import { textMember } from '../data/json-members.ts';

/** How well something holds: by the operating system, by it with gaps, or only told to the process. */
export type HoldLevel = 'enforced' | 'partial' | 'declared';

/** What holds a boundary for one process, as the server tells it. */
export interface Enforcement {
  readonly backend: string;
  readonly fs: HoldLevel;
  readonly network: HoldLevel;
  readonly limits: HoldLevel;
  /** In plain words: what is not held. */
  readonly gaps: readonly string[];
}

/** Undefined where there is no process. A level that is not known counts as the weakest. */
export function readEnforcement(value: unknown): Enforcement | undefined {
  if (!isObject(value)) return undefined;
  return {
    backend: textMember(value, 'backend') ?? 'none',
    fs: levelOf(value.fs),
    network: levelOf(value.network),
    limits: levelOf(value.limits),
    gaps: Array.isArray(value.gaps) ? value.gaps.filter((gap) => typeof gap === 'string') : [],
  };
}

/** All of it in a word or two: what is held least counts, and is named where files are held better than it. */
export function holdOf({ fs, network, limits }: Pick<Enforcement, 'fs' | 'network' | 'limits'>): {
  readonly level: HoldLevel;
  readonly text: string;
} {
  if (fs === 'declared') return { level: 'declared', text: 'not enforced' };
  const weaker = [
    ...(network === 'enforced' ? [] : [`network ${SHORT[network]}`]),
    ...(limits === 'enforced' ? [] : [`limits ${SHORT[limits]}`]),
  ];
  if (weaker.length === 0 && fs === 'enforced') return { level: 'enforced', text: 'enforced' };
  const files = fs === 'enforced' ? 'files enforced' : 'files partly enforced';
  return { level: 'partial', text: [files, ...weaker].join(', ') };
}

const SHORT = { partial: 'partly', declared: 'not' } as const;

function levelOf(value: unknown): HoldLevel {
  return value === 'enforced' || value === 'partial' ? value : 'declared';
}
