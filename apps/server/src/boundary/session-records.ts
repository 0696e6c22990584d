import { randomUUID } from 'node:crypto';
import type { SessionBoundary, SessionId } from '@reeve/protocol';
import type { AuditFact } from '../audit/audit-fact.ts';
import { presentScope } from '../audit/trace-scope.ts';
import { hostsOf } from './apply-review.ts';
import type { DecidedCase } from './decided-cases.ts';
import type { RootTurn } from './kept-roots.ts';
import type { GuardServices } from './session-ground.ts';
import type { BoundaryChange, BoundaryNotice, GuardedSessionOptions } from './session-guard.ts';

/**
 * What the audit log and the clients are told about the boundary of one session. Until the agent has opened the session it has no name:
 * what the audit log is to be told before waits for that.
 */
export class SessionRecords {
  readonly #services: GuardServices;
  readonly #onNotice: GuardedSessionOptions['onNotice'];
  readonly #untold: ((session: SessionId) => void)[] = [];
  /** Tells the cases of this session from those of others while it has no name. */
  readonly #id = randomUUID();
  #session: SessionId | undefined;

  constructor(services: GuardServices, { session, onNotice }: Pick<GuardedSessionOptions, 'session' | 'onNotice'>) {
    this.#services = services;
    this.#session = session;
    this.#onNotice = onNotice;
  }

  get session(): SessionId | undefined {
    return this.#session;
  }

  /** @param onNamed comes before what waited for the name is told */
  name(session: SessionId, onNamed: () => void): void {
    this.#session = session;
    onNamed();
    for (const tell of this.#untold.splice(0)) tell(session);
  }

  /** See SessionGround. */
  async record(fact: (session: SessionId) => AuditFact): Promise<void> {
    if (this.#session === undefined) this.#keepUntold(fact);
    else await this.#services.audit.record(fact(this.#session));
  }

  /** See SessionGround. */
  note(fact: (session: SessionId) => AuditFact): void {
    if (this.#session === undefined) this.#keepUntold(fact);
    else this.#services.audit.note(fact(this.#session));
  }

  notice(notice: BoundaryNotice): void {
    this.#onNotice?.(notice);
  }

  decided(what: DecidedCase): void {
    const news = this.#services.cases.news(what, this.#id);
    if (news) this.note(news);
  }

  changed({ after, diff, by }: BoundaryChange): void {
    this.notice({ kind: 'boundary_changed', by, boundary: after });
    const { revision, roots, network } = after;
    const told = { by, revision, direction: diff.direction, roots };
    const hosts = network === undefined ? {} : { network: hostsOf(network) };
    this.note((session) => ({ kind: 'boundary.changed', session, ...told, ...hosts }));
  }

  /** Of `turns`, those of roots of the boundary. */
  turned(turns: readonly RootTurn[], { roots, revision }: SessionBoundary): void {
    const access = new Map(roots.map((root) => [root.path, root.access]));
    for (const { path, how } of turns) {
      const root = { path, access: access.get(path) };
      if (root.access === undefined) continue;
      const told = { root: { path, access: root.access }, revision };
      this.notice(how === undefined ? { kind: 'root_back', path } : { kind: 'root_lost', path, how });
      this.note((session) =>
        how === undefined ? { kind: 'root.back', session, ...told } : { kind: 'root.lost', session, how, ...told },
      );
    }
  }

  #keepUntold(fact: (session: SessionId) => AuditFact): void {
    const enter = presentScope();
    this.#untold.push((session) => enter(() => this.#services.audit.note(fact(session))));
  }
}
