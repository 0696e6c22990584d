import type { SessionId } from '@reeve/protocol';
import type { Audit } from '../audit/audit-fact.ts';
import type { ServerFact } from '../audit/governance-fact.ts';
import type { DecisionScope, Grant, GrantStore, ServerApproval } from './grant-store.ts';

/** Whom a decision concerns that came, or went. */
export interface DecisionListener {
  /** Found anew at each start of a server. */
  fingerprint(): string;
  /** What was decided about this server is another now. Resolves when that is carried out. Never rejects. */
  decisionsChanged(): Promise<void>;
}

export interface DecisionBookOptions {
  readonly store: GrantStore;
  readonly audit: Audit;
  readonly now: () => number;
}

/** A decision that is durable and in force; `carried` resolves when every server that it concerns has changed over. Never rejects. */
export interface Carried {
  readonly carried: Promise<void>;
}

/** Where a decision counts: in a session, and its project. */
export interface DecisionPlace {
  readonly session: SessionId | undefined;
  readonly project: string;
}

/**
 * What people decided, on disk, and in memory for the servers that run. Who runs a server listens, and hears of each decision that comes,
 * goes or expires.
 */
export class DecisionBook {
  readonly #options: DecisionBookOptions;
  readonly #listeners = new Set<DecisionListener>();
  /** By fingerprint, as long as somebody listens. */
  readonly #known = new Map<string, Promise<Decisions>>();

  constructor(options: DecisionBookOptions) {
    this.#options = options;
  }

  listen(listener: DecisionListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** What was decided about a server, whatever it counts for; what has expired is taken out, and recorded as such. */
  async of(fingerprint: string): Promise<Decisions> {
    const known = this.#known.get(fingerprint);
    if (known) return known;
    const read = this.#read(fingerprint);
    this.#known.set(fingerprint, read);
    read.catch(() => this.#known.delete(fingerprint));
    return read;
  }

  /** Durable once resolved, and in force. Of earlier grants for the same server, root and scope none counts any more. */
  async addGrants(grants: readonly Grant[]): Promise<Carried> {
    await this.#keepGrants(grants);
    return this.#tell([...new Set(grants.map(({ server }) => server))]);
  }

  /** The same for what was decided about one server at once: nobody sees a part of it in force. */
  async addReviewed(approval: ServerApproval, grants: readonly Grant[]): Promise<Carried> {
    await Promise.all([this.#keepGrants(grants), this.#keepApproval(approval)]);
    return this.#tell([approval.fingerprint]);
  }

  async #keepGrants(grants: readonly Grant[]): Promise<void> {
    for (const fingerprint of new Set(grants.map(({ server }) => server))) {
      const { grants: known } = await this.of(fingerprint);
      const added = grants.filter(({ server }) => server === fingerprint);
      const keys = new Set(added.map(keyOf));
      const replaced = [...known.values()].filter((grant) => keys.has(keyOf(grant))).map(({ id }) => id);
      await Promise.all([this.#options.store.removeGrants(replaced), this.#options.store.putGrants(added)]);
      for (const id of replaced) known.delete(id);
      for (const grant of added) known.set(grant.id, grant);
    }
  }

  async #keepApproval(approval: ServerApproval): Promise<void> {
    const { approvals } = await this.of(approval.fingerprint);
    const replaced = [...approvals.values()]
      .filter(({ scope }) => sameScope(scope, approval.scope))
      .map(({ id }) => id);
    const { store } = this.#options;
    await Promise.all([store.removeApprovals(replaced), store.putApproval(approval)]);
    for (const id of replaced) approvals.delete(id);
    approvals.set(approval.id, approval);
  }

  /**
   * Whether a server of this name was approved before under another fingerprint, for somewhere that holds this place: a server of that
   * name in another project is another one.
   */
  async approvedOtherwise(name: string, fingerprint: string, place: DecisionPlace): Promise<boolean> {
    const approvals = countingAt(await this.#options.store.approvals({}), place, this.#options.now());
    const named = approvals.filter((one) => one.serverName === name && one.decision === 'allow');
    return named.length > 0 && named.every((one) => one.fingerprint !== fingerprint);
  }

  /** Takes grants back wherever they count; gives those that there were. */
  async removeGrants(ids: readonly string[]): Promise<Carried & { readonly removed: readonly Grant[] }> {
    const wanted = new Set(ids);
    const removed = (await this.#options.store.grants({})).filter(({ id }) => wanted.has(id));
    await this.#options.store.removeGrants(ids);
    const fingerprints = [...new Set(removed.map(({ server }) => server))];
    for (const fingerprint of fingerprints) {
      const known = await this.#known.get(fingerprint);
      for (const id of ids) known?.grants.delete(id);
    }
    return { removed, ...this.#tell(fingerprints) };
  }

  /** Gives the number of decisions that there were. */
  async forget(fingerprint: string): Promise<Carried & { readonly decisions: number }> {
    const { grants, approvals } = await this.of(fingerprint);
    const [ofRoots, ofServer] = [[...grants.keys()], [...approvals.keys()]];
    await Promise.all([this.#options.store.removeGrants(ofRoots), this.#options.store.removeApprovals(ofServer)]);
    grants.clear();
    approvals.clear();
    return { decisions: ofRoots.length + ofServer.length, ...this.#tell([fingerprint]) };
  }

  async forgetSession(session: SessionId): Promise<void> {
    await this.#options.store.removeSession(session);
    for (const decisions of this.#known.values()) {
      for (const known of Object.values(await decisions) as Map<string, Grant | ServerApproval>[]) {
        for (const [id, { scope }] of known)
          if (scope.kind === 'session' && scope.session === session) known.delete(id);
      }
    }
  }

  /** Takes out what has expired, and records that. */
  async expire(fingerprint: string): Promise<void> {
    const decisions = await this.of(fingerprint);
    const expired = [...decisions.grants.values()].filter((grant) => this.#isOver(grant));
    const approvals = [...decisions.approvals.values()].filter((approval) => this.#isOver(approval));
    if (expired.length + approvals.length === 0) return;
    for (const { id } of expired) decisions.grants.delete(id);
    for (const { id } of approvals) decisions.approvals.delete(id);
    this.#expired(expired, approvals);
    await Promise.all([
      this.#options.store.removeGrants(expired.map(({ id }) => id)),
      this.#options.store.removeApprovals(approvals.map(({ id }) => id)),
    ]);
    this.#tell([fingerprint]);
  }

  async #read(fingerprint: string): Promise<Decisions> {
    const { store } = this.#options;
    const [grants, approvals] = await Promise.all([store.grants({ fingerprint }), store.approvals({ fingerprint })]);
    const over = grants.filter((grant) => this.#isOver(grant));
    const ended = approvals.filter((approval) => this.#isOver(approval));
    if (over.length + ended.length > 0) {
      this.#expired(over, ended);
      await Promise.all([
        store.removeGrants(over.map(({ id }) => id)),
        store.removeApprovals(ended.map(({ id }) => id)),
      ]);
    }
    const live = <Decision extends Grant | ServerApproval>(all: readonly Decision[]): Map<string, Decision> =>
      new Map(all.filter((one) => !this.#isOver(one)).map((one) => [one.id, one]));
    return { grants: live(grants), approvals: live(approvals) };
  }

  #expired(grants: readonly Grant[], approvals: readonly ServerApproval[]): void {
    for (const { fingerprint, serverName, scope, expiresAt, decision } of approvals) {
      this.#options.audit.note({
        kind: 'mcp.expired',
        server: factOf({ server: fingerprint, serverName }),
        expired: decision,
        scope: scope.kind,
        ...(scope.kind === 'session' ? { session: scope.session } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    }
    for (const { root, access, scope, expiresAt, ...grant } of grants) {
      this.#options.audit.note({
        kind: 'grant.expired',
        server: factOf(grant),
        roots: [{ path: root.path, access }],
        scope: scope.kind,
        ...(scope.kind === 'session' ? { session: scope.session } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    }
  }

  #tell(fingerprints: readonly string[]): Carried {
    const concerned = [...this.#listeners].filter((listener) => fingerprints.includes(listener.fingerprint()));
    return { carried: Promise.all(concerned.map((listener) => listener.decisionsChanged())).then(() => {}) };
  }

  #isOver({ expiresAt }: Grant | ServerApproval): boolean {
    return expiresAt !== undefined && expiresAt <= this.#options.now();
  }
}

/** By id; the maps are the book's own, and change with it. */
export interface Decisions {
  readonly grants: Map<string, Grant>;
  readonly approvals: Map<string, ServerApproval>;
}

/** Those that count at a place and have not expired; the newest last. */
export function countingAt<Decision extends Grant | ServerApproval>(
  decisions: Iterable<Decision>,
  { session, project }: DecisionPlace,
  now: number,
): Decision[] {
  return [...decisions]
    .filter(({ scope, expiresAt }) => {
      if (expiresAt !== undefined && expiresAt <= now) return false;
      if (scope.kind === 'session') return scope.session === session;
      return scope.kind === 'always' || scope.project === project;
    })
    .sort((one, other) => one.at - other.at);
}

/** The part of a server that is known where it does not run. */
export function factOf({ server, serverName }: Pick<Grant, 'server' | 'serverName'>): ServerFact {
  return { name: serverName, fingerprint: server };
}

function keyOf({ root, scope }: Grant): string {
  return JSON.stringify([root.path, scopeKey(scope)]);
}

function scopeKey(scope: DecisionScope): string {
  return JSON.stringify(scope.kind === 'session' ? scope.session : scope.kind === 'project' ? [scope.project] : null);
}

function sameScope(one: DecisionScope, other: DecisionScope): boolean {
  return scopeKey(one) === scopeKey(other);
}
