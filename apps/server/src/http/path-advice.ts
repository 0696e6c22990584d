import type { PathCheckInfo, RootStandingInfo } from '@reeve/protocol';
import { placeOfSystem } from '../boundary/resolve-boundary.ts';

/** What is known of a path, and of the directory that would have to be a root where it lies outside. */
export interface Advised {
  readonly found: Omit<PathCheckInfo, 'reason' | 'next'>;
  readonly session: string;
  readonly needed: LookedAt | undefined;
  /** The path itself, where it is a file in a directory that should not be given as a whole. */
  readonly file?: LookedAt | undefined;
}

type LookedAt = Pick<RootStandingInfo, 'risks' | 'highRisk' | 'why'>;

type Advice = Pick<PathCheckInfo, 'reason' | 'next'>;

/** Why a path may not be used, or not for everything, and what to do about it; nothing where there is nothing to do. */
export function adviseOnPath({ found, session, needed, file }: Advised): Advice {
  const { path, canonical, agent, root, lost, servers, protected: guarded } = found;
  if (canonical === undefined) {
    const reason = 'a link there leads nowhere or in circles, it may not be looked at, or it is no plain absolute path';
    return { reason, next: 'Name the place that is meant by its whole path, without links and "..".' };
  }
  const leads = canonical === path ? path : `${path}, which is ${canonical},`;
  if (root && lost) {
    const reason = `${leads} lies in ${root.path}, which was moved, replaced or deleted since it was approved`;
    const next = `Put it back, or approve what is there now: ${approve(root.path, root.access, session)}.`;
    return { reason, next };
  }
  if (agent === 'none') {
    const alone = file && file.why === undefined && !file.highRisk ? canonical : undefined;
    return adviseOutside(leads, found.needed ?? canonical, { session, needed, alone });
  }
  if (guarded !== undefined && root?.access === 'rw') {
    const reason = `${leads} is protected: ${guarded} decides what other tools run`;
    return { reason, next: 'A person has to change it, outside of the session.' };
  }
  return adviseServers(servers, root?.path ?? canonical, session) ?? (agent === 'rw' ? {} : readOnly());

  function readOnly(): Advice {
    const next = `Let it be written: ${approve(root?.path ?? path, 'rw', session)}.`;
    return { reason: `${leads} is read-only in the session`, next };
  }
}

interface OutsideOf extends Pick<Advised, 'session' | 'needed'> {
  /** The file, where it may be given for itself. */
  readonly alone: string | undefined;
}

/** No command stands in the advice where nobody should follow it without a thought. */
function adviseOutside(leads: string, directory: string, { session, needed, alone }: OutsideOf): Advice {
  const outside = `${leads} is in no root of the session`;
  const without = alone === undefined ? COPY : `Give that file alone: ${approve(alone, 'ro', session)}.`;
  const system = placeOfSystem(directory);
  const never = system === undefined ? needed?.why : `It is ${system}.`;
  if (never !== undefined) return { reason: `${outside}, and ${directory} can be none. ${never}`, next: without };
  if (needed?.highRisk) {
    const risks = needed.risks.filter((risk) => risk !== 'outside_project').map((risk) => risk.replaceAll('_', ' '));
    const reason = `${outside}, and ${directory} would be one of high risk: ${risks.join(', ')}`;
    return { reason, next: `${without} To give all of that directory takes an administrator.` };
  }
  return { reason: outside, next: `Give it to the session: ${approve(directory, 'ro', session)}.` };
}

const COPY = 'Copy what is needed into a root of the session.';

function adviseServers(servers: PathCheckInfo['servers'], root: string, session: string): Advice | undefined {
  const without = servers.filter(({ access }) => access === 'none');
  if (without.length === 0) return undefined;
  const reason = `MCP servers that were not given it: ${without.map(({ server }) => JSON.stringify(server)).join(', ')}`;
  const [first] = without.filter(({ why, state }) => why === undefined && state !== 'outside');
  if (first) {
    const next = `Ask for it: reeve roots request ${shellWord(root)} --session ${session} --server ${shellWord(first.server)}.`;
    return { reason, next };
  }
  const next = without.find(({ why }) => why !== undefined)?.why;
  return { reason, next: next ?? 'Name the directory on the command line of the server too, in a new session.' };
}

function approve(path: string, access: string, session: string): string {
  return `reeve roots approve ${shellWord(`${path}:${access}`)} --session ${session}`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
