import {
  contains,
  type Decision,
  DISTINCT_NAMES,
  indexRoots,
  type ServerFacts,
  type StartServerFacts,
  serverRoots,
  uniteNetwork,
} from '@reeve/policy';
import type { BoundaryNetwork, BoundaryRoot, ReviewPackage } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';
import { unseenLoaders } from './decides-what-runs.ts';
import { countingAt } from './decision-book.ts';
import type { DeclaredServer } from './declared-server.ts';
import { reviewServer, reviewTools, serverFact } from './describe-server.ts';
import { type FoundServer, findServer, siteOf } from './found-server.ts';
import { type GivenBy, givenBy } from './given-by.ts';
import { type GivenRoot, givenRoots } from './given-roots.ts';
import type { Grant, ServerApproval } from './grant-store.ts';
import type { ReviewSubject } from './review-subject.ts';
import type { RootStanding } from './root-standing.ts';
import { fingerprintOf } from './server-fingerprint.ts';
import type { ServerClaims, ServerScope } from './server-guard.ts';
import type { SessionGround } from './session-ground.ts';
import { type Standing, standRoots, type UndecidedRoot } from './stand-roots.ts';
import { StoodRoots } from './stood-roots.ts';

/** What is known of one server of a session, and what follows from it by policies and by what people decided. Decides nothing itself. */
export class ServerView {
  readonly server: DeclaredServer;
  /** What it says of itself. */
  claims: ServerClaims | undefined;
  /** What its command fetches, as far as that is known. */
  package: ReviewPackage | undefined;
  /** Whether its last process was confined to its roots; undefined before the first. */
  confined: boolean | undefined;
  readonly #ground: SessionGround;
  #found: FoundServer;
  #looked: { readonly facts: ServerFacts; readonly until: number } | undefined;
  readonly #stood = new StoodRoots();

  static async open(ground: SessionGround, server: DeclaredServer): Promise<ServerView> {
    return new ServerView(ground, server, await findServer(ground, server));
  }

  private constructor(ground: SessionGround, server: DeclaredServer, found: FoundServer) {
    this.server = server;
    this.#ground = ground;
    this.#found = found;
    this.package = found.package;
  }

  get fingerprint(): string {
    return this.#found.fingerprint;
  }

  get fact(): ServerFact {
    return serverFact(this.server, this.fingerprint);
  }

  get facts(): ServerFacts {
    const { name, origin, transport, trusted } = this.server;
    const local = transport.kind === 'stdio';
    const approval = this.approval();
    return {
      name,
      fingerprint: this.fingerprint,
      transport: transport.kind,
      origin,
      local,
      sandboxed: local && (this.confined ?? this.#ground.confined),
      known: origin === 'configuration' || approval !== undefined,
      trusted: trusted === true || approval?.trusted === true,
    };
  }

  /** Finds out what policies are told of it, which stays the same until it is found out again; whatever changes it brings that about. */
  look(): ServerFacts {
    this.#looked = { facts: this.facts, until: this.nextExpiry() ?? Number.POSITIVE_INFINITY };
    return this.#looked.facts;
  }

  /** What `look` found, but not beyond the end of a decision: the timer that ends it is late where the machine slept. */
  factsLooked(): ServerFacts {
    const looked = this.#looked;
    return looked !== undefined && this.#ground.services.now() < looked.until ? looked.facts : this.facts;
  }

  /** Finds its fingerprint again. True where it is another server now, of which nothing is known yet. */
  async identify(): Promise<boolean> {
    const fingerprint = await fingerprintOf(this.server, siteOf(this.#ground));
    if (fingerprint === this.fingerprint) return false;
    this.#found = await findServer(this.#ground, this.server);
    this.package = this.#found.package;
    this.claims = undefined;
    this.confined = undefined;
    return true;
  }

  /** Before it is shown to people: finds out which package would run. Rejects with the signal's reason. */
  async examine(signal: AbortSignal): Promise<void> {
    const { fingerprint, server } = this;
    const found = await this.#ground.services.packages?.examine(server, fingerprint, signal);
    if (fingerprint === this.fingerprint) this.package = found;
  }

  /** The newest decision of a person, if it is a yes. */
  approval(): ServerApproval | undefined {
    const newest = this.#approvals().at(-1);
    return newest?.decision === 'allow' ? newest : undefined;
  }

  /** The newest decision of a person, if it is a no. */
  denial(): ServerApproval | undefined {
    const newest = this.#approvals().at(-1);
    return newest?.decision === 'deny' ? newest : undefined;
  }

  /** Paths that people decided about, as far as that counts in this session. */
  grantedPaths(): readonly string[] {
    return this.#counting(this.#found.decisions.grants.values()).map(({ root }) => root.path);
  }

  /** When the next decision about it ends, wherever that counts; milliseconds since the epoch. */
  nextExpiry(): number | undefined {
    const { grants, approvals } = this.#found.decisions;
    const ends = [...grants.values(), ...approvals.values()].flatMap(({ expiresAt }) => expiresAt ?? []);
    return ends.length === 0 ? undefined : Math.min(...ends);
  }

  /** Variables of a server that nobody wrote into Reeve's configuration by which other code may run than a person is shown. */
  unseenLoaders(): readonly string[] {
    const { origin, transport } = this.server;
    return origin === 'configuration' || transport.kind !== 'stdio'
      ? []
      : unseenLoaders(transport.command, transport.env);
  }

  decideStart(): Decision {
    return this.#ground.services.policies().decide(this.startFacts(), this.#ground.boundary().revision);
  }

  startFacts(): StartServerFacts {
    return { ...this.#ground.circumstances(), kind: 'start_server', server: this.facts };
  }

  /** Whether it may run: by policies, or by a person's yes where these ask for one. */
  mayRun({ outcome }: Decision = this.decideStart()): boolean {
    const approval = this.approval();
    if (this.denial() || outcome === 'deny' || this.unseenLoaders().length > 0) return false;
    if (outcome === 'allow' || approval === undefined) return outcome === 'allow';
    return outcome === 'ask_user' || approval.administrator;
  }

  /** How each root stands with it. @param server with other facts than there are now, to see what would be */
  stand(server: ServerFacts = this.facts): Standing {
    const { services, examiner } = this.#ground;
    const policies = services.policies();
    const boundary = this.#ground.boundary();
    const named = services.labelOf !== undefined && policies.policies.some(({ text }) => text.includes('Root::'));
    const circumstances = this.#ground.circumstances();
    const standing = standRoots({
      boundary,
      lost: this.#ground.lost(),
      found: (path) => examiner.found(path),
      grants: this.#counting(this.#found.decisions.grants.values()),
      server,
      circumstances,
      decide: (facts) => policies.decide(facts, boundary.revision),
      labelOf: (path) => (named ? services.labelOf?.(path) : undefined) ?? 'root',
      stood: this.#stood.under(policies, circumstances, JSON.stringify(server)),
    });
    if (this.#found.commandLine === undefined) return standing;
    const rule = this.#found.named;
    const roots = standing.roots.map((one): RootStanding => {
      if (one.state === 'lost') return one;
      const why = rule.unnamed(one.root.path);
      if (why !== undefined) return { ...one, state: 'denied', access: 'none', why };
      const only = one.state === 'denied' ? undefined : rule.partOf(one.root.path);
      return only === undefined ? one : { ...one, only };
    });
    const undecided = standing.undecided.flatMap((one) => {
      const only = rule.partOf(one.root.path);
      return rule.unnamed(one.root.path) === undefined ? [only === undefined ? one : { ...one, only }] : [];
    });
    return { ...standing, roots, undecided };
  }

  /** Why its command line keeps it from seeing anything of a path; undefined where it does not. */
  unnamed(path: string): string | undefined {
    return this.#found.named.unnamed(path);
  }

  scopeOf({ grants, undecided }: Standing): ServerScope {
    const boundary = this.#ground.boundary();
    const lost = this.#ground.lost();
    const there = lost.size === 0 ? boundary.roots : boundary.roots.filter(({ path }) => !lost.has(path));
    const { commandLine } = this.#found;
    const roots = serverRoots({
      boundary: { ...boundary, roots: there },
      grants,
      ...(commandLine ? { commandLine } : {}),
      now: this.#ground.services.now(),
    });
    const withheld = withheldFrom(boundary.roots, roots);
    const cwd = this.#workplace(roots);
    return {
      revision: boundary.revision,
      roots,
      ...(cwd === undefined ? {} : { cwd }),
      ...(withheld.length === 0 ? {} : { withheld }),
      network: this.#network(),
      undecided: undecided.length,
    };
  }

  /** What it has of its roots without anybody being asked, as these stand with it. */
  given(standing: Standing, asked: readonly UndecidedRoot[]): readonly GivenRoot[] {
    return givenRoots({
      standing,
      scope: this.scopeOf(standing).roots,
      asked: new Set(asked.map(({ root }) => root.path)),
      decided: new Set(this.grantedPaths()),
      found: (path) => this.#ground.examiner.found(path),
    });
  }

  /** By what each of these roots is the server's. */
  givenBy(roots: readonly BoundaryRoot[], standing: Standing): readonly GivenBy[] {
    return givenBy(roots, standing, this.#counting(this.#found.decisions.grants.values()));
  }

  subject(): ReviewSubject {
    const { sandboxed, trusted } = this.facts;
    const { fingerprint, changed } = this.#found;
    const network = this.#network();
    return {
      server: this.fact,
      shown: reviewServer(
        this.server,
        { fingerprint, sandboxed, changed, package: this.package, network },
        this.claims,
      ),
      tools: reviewTools(this.claims, trusted),
    };
  }

  #network(): BoundaryNetwork {
    return uniteNetwork(this.server.network ?? 'none', this.approval()?.network ?? 'none');
  }

  /** See ServerScope. */
  #workplace(roots: readonly BoundaryRoot[]): string | undefined {
    if (this.server.transport.kind !== 'stdio') return undefined;
    const { cwd } = this.#ground;
    if (roots.some(({ path }) => contains(path, cwd))) return cwd;
    return roots.find(({ kind }) => kind !== 'file')?.path;
  }

  #approvals(): ServerApproval[] {
    return this.#counting(this.#found.decisions.approvals.values());
  }

  #counting<Decided extends Grant | ServerApproval>(decisions: Iterable<Decided>): Decided[] {
    return countingAt(decisions, this.#ground.place(), this.#ground.services.now());
  }
}

/** Paths of the roots that lie in none of those that were granted. */
function withheldFrom(all: readonly BoundaryRoot[], granted: readonly BoundaryRoot[]): readonly string[] {
  const whole = all.length === granted.length && all.every(({ path }, at) => path === granted[at]?.path);
  if (whole) return [];
  const index = indexRoots(granted, DISTINCT_NAMES);
  return all.flatMap(({ path }) => (index.around(path) === undefined ? [path] : []));
}
