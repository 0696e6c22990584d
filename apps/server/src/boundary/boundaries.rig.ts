import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryRoot, RequestAnswer, RequestId, ReviewParams, SessionId } from '@reeve/protocol';
import type { AuditFact } from '../audit/audit-fact.ts';
import { currentTrace } from '../audit/trace-scope.ts';
import { RequestBroker } from '../requests/request-broker.ts';
import type { StoredRequest } from '../requests/request-store.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { type Boundaries, type BoundariesOptions, createBoundaries } from './boundaries.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ScopeChange, ServerGuard } from './server-guard.ts';
import type { BoundaryAlarm } from './session-ground.ts';
import type { BoundaryNotice, GuardedSessionOptions, SessionGuard } from './session-guard.ts';

/** Boundaries over a memory store, with a project and other directories in a temporary place that goes with it. */
export interface BoundariesRig extends AsyncDisposable {
  readonly boundaries: Boundaries;
  readonly broker: RequestBroker;
  /** Canonical; holds `project` (with a `package.json`), `other` and `home`. */
  readonly directory: string;
  readonly facts: AuditFact[];
  /** The trace in which the audit log was told a fact. */
  traceOf(fact: AuditFact | undefined): string | undefined;
  readonly alarms: BoundaryAlarm[];
  readonly notices: BoundaryNotice[];
  readonly failures: string[];
  /** The path of a directory below, made if it is not there. */
  make(name: string): Promise<string>;
  session(name: string, options?: SessionOptions): Promise<SessionGuard>;
  server(guard: SessionGuard, members?: Partial<DeclaredServer>): Promise<ServerGuard>;
  /** What waits for a person, oldest first. */
  waiting(session?: string): readonly (StoredRequest & { readonly params: ReviewParams })[];
  answer(request: { readonly id: RequestId }, answer: RequestAnswer, administrator?: boolean): Promise<void>;
  recorded(kind: AuditFact['kind']): AuditFact[];
}

export interface SessionOptions extends Partial<Omit<GuardedSessionOptions, 'place'>> {
  readonly roots?: readonly BoundaryRoot[];
  readonly cwd?: string;
  readonly identities?: GuardedSessionOptions['place']['identities'];
  /** Without a name until it is bound. */
  readonly unbound?: boolean;
}

export async function startBoundaries(options: Partial<BoundariesOptions> = {}): Promise<BoundariesRig> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'reeve-boundary-')));
  const make = async (name: string): Promise<string> => {
    await mkdir(join(directory, name), { recursive: true });
    return join(directory, name);
  };
  for (const name of ['project', 'other', 'home', 'data']) await make(name);
  await writeFile(join(directory, 'project/package.json'), '{}');
  const store = openMemoryStore();
  const facts: AuditFact[] = [];
  const alarms: BoundaryAlarm[] = [];
  const notices: BoundaryNotice[] = [];
  const failures: string[] = [];
  const traces = new Map<AuditFact | undefined, string | undefined>();
  const audit = {
    async record(fact: AuditFact) {
      facts.push(fact);
      traces.set(fact, currentTrace());
    },
    note: (fact: AuditFact) => void audit.record(fact),
  };
  const broker = new RequestBroker({
    store: store.requests,
    audit,
    patience: { permissionMs: 0, questionMs: 0 },
    onFailure: (error) => failures.push(String(error)),
  });
  const boundaries = await createBoundaries({
    store: store.grants,
    broker,
    audit,
    policies: [],
    limits: {
      maxRoots: 20_000,
      maxLinkScan: 1000,
      maxWatchedRoots: 16,
      maxPendingRequests: 10,
      rootCheckMs: 60_000,
      ...options.limits,
    },
    home: join(directory, 'home'),
    dataDir: join(directory, 'data'),
    searchPath: '/usr/bin:/bin',
    onAlarm: (alarm) => void alarms.push(alarm),
    onFailure: (error, what) => failures.push(`${what}: ${error}`),
    ...options,
  });
  return {
    boundaries,
    broker,
    directory,
    facts,
    traceOf: (fact) => traces.get(fact),
    alarms,
    notices,
    failures,
    make,
    async session(name, { roots, cwd, identities, unbound = false, ...others } = {}) {
      const project = join(directory, 'project');
      return boundaries.open({
        ...(unbound ? {} : { session: name as SessionId }),
        agent: 'codex',
        enforced: true,
        confined: true,
        onNotice: (notice) => void notices.push(notice),
        place: {
          boundary: { roots: roots ?? [{ path: project, access: 'rw' }], revision: 1 },
          cwd: cwd ?? project,
          ...(identities === undefined ? {} : { identities }),
        },
        ...others,
      });
    },
    server: (guard, members = {}) =>
      guard.guardOf({
        name: 'files',
        origin: 'configuration',
        transport: { kind: 'stdio', command: 'sh', args: ['-c', 'true'], env: {} },
        ...members,
      }),
    waiting: (session = 's') => broker.pendingOf(session as SessionId) as never,
    async answer({ id }, answer, administrator = false) {
      const outcome = await broker.answer(id, answer, { label: administrator ? 'root' : 'alice', administrator });
      if (outcome.kind !== 'answered') throw new Error(`not answered: ${JSON.stringify(outcome)}`);
    },
    recorded: (kind) => facts.filter((fact) => fact.kind === kind),
    async [Symbol.asyncDispose]() {
      await boundaries[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What a gateway would do: keeps the changes that it is told of, and says that it found the roots gone. */
export function carryOut(server: ServerGuard): ScopeChange[] {
  const changes: ScopeChange[] = [];
  server.watch(async (change) => {
    changes.push(change);
    await Promise.resolve();
    if (change.diff.restart === 'required') {
      server.verified(change.after.revision, { kind: 'gone', detail: 'looked from inside' });
    }
  });
  return changes;
}

export const NEVER: AbortSignal = new AbortController().signal;

/** Whoever changes or decides something, and administers nothing. */
export const ALICE = { label: 'alice', administrator: false };

/** A server that the operator does not know. */
export const STRANGER = { origin: 'client' } as const;

/** Another program than that of a server of the rig. */
export const OTHER = { kind: 'stdio', command: 'sh', args: ['-c', 'false'], env: {} } as const;

/** Where roots are, in their order. */
export const paths = (roots: readonly { readonly path: string }[]): string[] => roots.map(({ path }) => path);

/** The path of a directory of the rig. */
export const at = (rig: BoundariesRig, name: string): string => join(rig.directory, name);

/** No patience with people. */
export const soon = (): AbortSignal => AbortSignal.timeout(20);
