import { type BoundaryDiff, diffBoundary } from '@reeve/policy';
import type { BoundaryRoot, SessionId } from '@reeve/protocol';
import type { DeclaredServer } from '../../boundary/declared-server.ts';
import type {
  CallAnswerer,
  CallApproval,
  CallDecision,
  CallEnd,
  CallRefuser,
  CallSummary,
  ScopeChange,
  ServerGuard,
  ServerScope,
} from '../../boundary/server-guard.ts';

export interface FakeGuardOptions {
  readonly server?: Partial<DeclaredServer>;
  readonly roots?: readonly BoundaryRoot[];
  /** Where the server works; without it in the first root. */
  readonly cwd?: string;
  /** Where the session works; without it where the server does. */
  readonly from?: string;
  /** Roots of the session that the server was not granted. */
  readonly withheld?: readonly string[];
  readonly decide?: (call: CallSummary, staleRoots: boolean) => CallDecision['outcome'];
  readonly answer?: (key: string, signal: AbortSignal) => Promise<CallApproval>;
}

/** A guard that does as it is told, and remembers what was said to it. */
export function fakeGuard(options: FakeGuardOptions = {}) {
  const { server, roots = [], cwd, from, withheld = [], decide = () => 'allow', answer } = options;
  const workplace = (all: readonly BoundaryRoot[]): Pick<ServerScope, 'cwd'> => {
    const first = cwd ?? all.find(({ kind }) => kind !== 'file')?.path;
    return first === undefined || all.length === 0 ? {} : { cwd: first };
  };
  let scope: ServerScope = { revision: 1, roots, ...workplace(roots), network: 'none', undecided: 0, withheld };
  const listeners = new Set<(change: ScopeChange) => Promise<void>>();
  const said = {
    ended: [] as {
      readonly call: CallSummary;
      readonly outcome: CallEnd;
      readonly by?: CallRefuser;
      readonly asked?: CallAnswerer;
    }[],
    asked: [] as string[],
    dropped: [] as string[],
    alarms: [] as Parameters<ServerGuard['alarm']>[0][],
    verified: [] as string[],
    stale: [] as boolean[],
    fetched: [] as Parameters<ServerGuard['fetched']>[0][],
    held: [] as Parameters<ServerGuard['held']>[0][],
  };
  const guard: ServerGuard = {
    server: {
      name: 'files',
      origin: 'client',
      transport: { kind: 'stdio', command: 'server', args: [], env: {} },
      ...server,
    } as DeclaredServer,
    fingerprint: 'sha256:0',
    cwd: from ?? cwd ?? roots[0]?.path ?? '/',
    session: 'ses_1' as SessionId,
    work: (act) => act(),
    admit: async () => ({ kind: 'admitted', trusted: false }),
    scope: () => scope,
    expose: async () => scope,
    described: () => {},
    fetched: (what) => void said.fetched.push(what),
    decide(call, staleRoots) {
      said.stale.push(staleRoots);
      return { outcome: decide(call, staleRoots), policies: ['policy0'], policyHash: 'sha256:1' };
    },
    async askCall({ key }, signal) {
      said.asked.push(key);
      if (answer) return answer(key, signal);
      return { kind: 'denied', by: 'nobody' };
    },
    dropCall: (_key, reason) => void said.dropped.push(reason),
    began: (call, _decision, asked) => ({
      end: (outcome) => void said.ended.push({ call, outcome, ...(asked && { asked }) }),
      refused: (by) => void said.ended.push({ call, outcome: 'refused', by, ...(asked && { asked }) }),
    }),
    alarm: (what) => void said.alarms.push(what),
    held: (enforcement) => void said.held.push(enforcement),
    loosened: () => {},
    verified: (revision, { kind, detail }) => void said.verified.push(`${revision} ${kind}: ${detail}`),
    watch(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  return {
    guard,
    said,
    /** What the change is; the scope is the new one from now on. */
    become(next: readonly BoundaryRoot[], calls: ScopeChange['calls'] = 'cancel'): ScopeChange {
      const before = scope;
      const { cwd: _, ...others } = scope;
      scope = { ...others, revision: scope.revision + 1, roots: next, ...workplace(next) };
      const diff: BoundaryDiff = diffBoundary(before, scope);
      return { before, after: scope, diff, calls };
    },
    async tell(change: ScopeChange): Promise<void> {
      await Promise.all([...listeners].map((listener) => listener(change)));
    },
  };
}
