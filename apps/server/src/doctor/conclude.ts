import type { SandboxReport } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';
import type { DoctorReport, Finding } from './doctor-report.ts';

export interface DoctorFacts {
  readonly required: DoctorReport['required'];
  readonly findings: readonly Finding[];
  readonly sandbox: SandboxReport;
  readonly enforcement: Enforcement | null;
  readonly escapes: readonly EscapeVerdict[];
}

/** What the facts come to: how well a boundary holds, and whether that is enough. */
export function conclude(facts: DoctorFacts): Pick<DoctorReport, 'ok' | 'verdict' | 'conclusion'> {
  const { required, findings, sandbox, enforcement, escapes } = facts;
  const escaped = escapes.some(({ verdict }) => verdict === 'escaped');
  const wrong = findings.filter(({ state }) => state === 'wrong');
  const ok = wrong.length === 0 && (required === 'declared' || (sandbox.usable && enforcement !== null && !escaped));
  const { verdict, because } = judge(facts);
  const broken = wrong.filter(({ id }) => id !== 'escapes').map(({ id }) => id);
  const besides = broken.length === 0 ? '' : ` (and does not work: ${broken.join(', ')})`;
  return { ok, verdict, conclusion: `${verdict}: ${because}${besides}` };
}

function judge({ sandbox, enforcement, escapes, findings }: DoctorFacts): {
  readonly verdict: DoctorReport['verdict'];
  readonly because: string;
} {
  if (sandbox.backend === 'none' || enforcement === null || enforcement.backend === 'none') {
    return { verdict: 'declared', because: sandbox.reason ?? 'no process could be started in a boundary' };
  }
  const escaped = escapes.filter(({ verdict }) => verdict === 'escaped');
  const blocked = escapes.filter(({ verdict }) => verdict === 'blocked');
  const { fs, network, limits, gaps } = enforcement;
  const doubts = [
    ...(escaped.length > 0 ? [`got out: ${escaped.map(({ id }) => id).join(', ')}`] : []),
    ...(sandbox.usable ? [] : [`${sandbox.backend} does not count as enforcement`]),
    ...findings
      .filter(({ id, state }) => (id === 'network' || id === 'escapes') && (state === 'weak' || state === 'skipped'))
      .map(({ detail }) => detail),
  ];
  if (doubts.length > 0 || gaps.length > 0 || [fs, network, limits].some((level) => level !== 'enforced')) {
    const levels = `${enforcement.backend} holds files ${fs}, network ${network}, limits ${limits}`;
    const listed = gaps.length === 0 ? [] : [gaps.length === 1 ? '1 gap is listed' : `${gaps.length} gaps are listed`];
    return { verdict: 'partial', because: [levels, ...doubts, ...listed].join('; ') };
  }
  return {
    verdict: 'enforced',
    because: `${enforcement.backend} holds files, network and limits; ${blocked.length} attempts to get out were blocked`,
  };
}
