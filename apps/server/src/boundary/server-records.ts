import type { Decision } from '@reeve/policy';
import type { Enforcement } from '@reeve/sandbox';
import { currentTrace, presentScope } from '../audit/trace-scope.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { GivenBy } from './given-by.ts';
import type { RootTurn } from './kept-roots.ts';
import type {
  CallAnswerer,
  CallDecision,
  CallEnd,
  CallRefuser,
  CallSummary,
  RecordedCall,
  ServerGuard,
  ServerScope,
} from './server-guard.ts';
import type { ServerView } from './server-view.ts';
import type { SessionGround } from './session-ground.ts';
import type { Withdrawal } from './withdrawal.ts';

export type AlarmCause = Parameters<ServerGuard['alarm']>[0];

/** Who let a server in, or did not. */
export interface AdmittedBy {
  readonly approval: 'policy' | 'user' | 'administrator';
  readonly by?: string | undefined;
  /** Id of the request. */
  readonly request?: string | undefined;
}

/** What the audit log, the session and whoever hears of alarms are told about one server. */
export class ServerRecords {
  readonly #ground: SessionGround;
  readonly #view: ServerView;
  /** The roots of the last exposure that was recorded. */
  #exposed: string | undefined;

  constructor(ground: SessionGround, view: ServerView) {
    this.#ground = ground;
    this.#view = view;
  }

  admission(
    decision: 'allow' | 'deny',
    { policies, policyHash }: Decision,
    { approval, by, request }: AdmittedBy,
  ): void {
    const kind = decision === 'allow' ? 'mcp.admitted' : 'mcp.refused';
    const who = { ...(by === undefined ? {} : { by }), ...(request === undefined ? {} : { request }) };
    const told = { server: this.#view.fact, decision, approval, policies, policyHash, ...who };
    this.#ground.note((session) => ({ kind, session, ...told }));
  }

  decided(what: DecidedCase): void {
    this.#ground.decided(what);
  }

  /** Durable once resolved. */
  async exposure(
    initiator: 'reeve' | 'server',
    { revision, roots, undecided }: ServerScope,
    given: readonly GivenBy[],
  ): Promise<void> {
    const exposed = JSON.stringify([roots, given]);
    const again = exposed === this.#exposed;
    const { server, fact } = this.#view;
    if (!again) this.#ground.notice({ kind: 'root_exposed', server: server.name, revision, roots });
    this.#exposed = exposed;
    const policyHash = this.#ground.services.policies().hash;
    const what = again ? { roots: [], given: [] } : { roots, given };
    const told = { server: fact, revision, initiator, ...what, again, undecided, policyHash };
    await this.#ground.record((session) => ({ kind: 'roots.exposed', session, ...told }));
  }

  /** @param revision of the scope at any moment */
  call(
    { recorded, paths }: CallSummary,
    { outcome: decided, policies, policyHash }: CallDecision,
    asked: CallAnswerer | undefined,
    revision: () => number,
  ): RecordedCall {
    const startRevision = revision();
    let ended = false;
    // The server answers when it likes, whatever is worked on by then.
    const enter = presentScope();
    const write = (outcome: CallEnd, refusedBy?: CallRefuser): void => {
      if (ended) return;
      ended = true;
      const { method, tool } = recorded;
      const endRevision = revision();
      const told = {
        server: this.#view.fact,
        agent: this.#ground.agent,
        method,
        ...(tool === undefined ? {} : { tool }),
        decision: refusedBy === undefined ? decided : 'deny',
        policies,
        policyHash,
        outcome,
        ...(refusedBy === undefined ? {} : { refusedBy }),
        startRevision,
        endRevision,
        paths: paths.map((path) => ({ path })),
        ...asked,
      };
      enter(() => this.#ground.note((session) => ({ kind: 'mcp.called', session, ...told })));
    };
    return { end: (outcome) => write(outcome), refused: (by) => write('refused', by) };
  }

  /** The server has another scope under this revision, though the roots of the session are the same. */
  revised(revision: number, direction: string): void {
    const told = { server: this.#view.fact, revision, direction };
    this.#ground.note((session) => ({ kind: 'boundary.revised', session, ...told }));
  }

  withdrawn(revision: number, { cause, ...who }: Withdrawal): void {
    const told = { server: this.#view.fact, revision, cause, ...who };
    this.#ground.note((session) => ({ kind: 'mcp.withdrawn', session, ...told }));
  }

  alarm({ path, access, by, tool }: AlarmCause, count: number, revision: number): void {
    const { session, services } = this.#ground;
    const { server, fact, fingerprint } = this.#view;
    const named = tool === undefined ? {} : { tool };
    const told = { server: fact, from: by, place: { path, access }, revision, count, ...named };
    this.#ground.note((known) => ({ kind: 'boundary.alarm', session: known, ...told }));
    this.#ground.notice({ kind: 'alarm', server: server.name, by, path, access, count, ...named });
    const which = { name: server.name, fingerprint };
    const trace = currentTrace();
    services.onAlarm({ at: services.now(), session, server: which, path, access, by, count, trace, ...named });
  }

  confined(enforcement: Enforcement | undefined): void {
    const told = { server: this.#view.fact, ...(enforcement === undefined ? {} : { enforcement }) };
    this.#ground.note((session) => ({ kind: 'mcp.confined', session, ...told }));
  }

  loosened(places: readonly RootTurn[], revision: number): void {
    const { name: server } = this.#view.fact;
    for (const { path, how } of places) {
      if (how === undefined) continue;
      this.#ground.notice({ kind: 'protection_lost', server, path, how });
      // Of a root that is lost the session tells.
      if (this.#ground.boundary().roots.some((root) => root.path === path)) continue;
      this.#ground.note((session) => ({ kind: 'root.lost', session, how, revision, root: { path, access: 'ro' } }));
    }
  }

  verified(revision: number, result: 'gone' | 'unverified'): void {
    const told = { server: this.#view.fact, revision, result };
    this.#ground.note((session) => ({ kind: 'boundary.verified', session, ...told }));
  }
}
