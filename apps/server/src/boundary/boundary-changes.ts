import { setImmediate as setImmediateCallback } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import {
  acpDirectories,
  type Boundary,
  type BoundaryDiff,
  type BoundaryPart,
  DISTINCT_NAMES,
  diffBoundary,
  indexRoots,
  narrow,
  revokeRoot,
  widen,
} from '@reeve/policy';
import type { BoundaryRoot, BoundaryWish, SessionBoundary } from '@reeve/protocol';
import type { PlaceRefusal } from './place-refusal.ts';
import { type BoundaryRules, type RefusedPlace, resolveBoundary, resolveRoots } from './resolve-boundary.ts';
import type { Actor, BoundaryChange, ChangeResult, ServerOutcome } from './session-guard.ts';
import type { SessionRoots } from './session-roots.ts';

export interface BoundaryChangesOptions {
  readonly boundary: SessionBoundary;
  /** Canonical: a root stays around it. */
  readonly cwd: string;
  readonly rules: BoundaryRules;
  readonly roots: SessionRoots;
  /** The new boundary is in force: every server changes over. Called in the very tick of the change. */
  readonly onChange: (change: BoundaryChange) => readonly Promise<ServerOutcome>[];
  /** Somebody asked for what may not be had; nothing has changed. */
  readonly onRefused: (refusals: readonly PlaceRefusal[], by: Actor) => void;
  readonly onFailure: (error: unknown, what: string) => void;
}

/** Between two revisions that have the same roots: what a server may have of them is another. */
const NO_CHANGE: BoundaryDiff = {
  direction: 'same',
  taken: [],
  given: [],
  network: 'same',
  listChanged: false,
  restart: 'none',
};

type Prepared =
  | {
      readonly kind: 'wanted';
      readonly boundary: SessionBoundary;
      readonly again: boolean;
      readonly expectedRevision?: number | undefined;
    }
  | Exclude<ChangeResult, { kind: 'changed' | 'unchanged' }>;

/** A change that is in force, or refused; `carried` resolves when everybody has changed over. */
export interface InForce {
  readonly carried: Promise<ChangeResult>;
}

/** The boundary of one session, revision by revision. */
export class BoundaryChanges {
  readonly #options: BoundaryChangesOptions;
  readonly #listeners = new Set<(change: BoundaryChange) => Promise<void>>();
  #boundary: SessionBoundary;
  /** Changes that need the file system are prepared and put in force one after the other, and carried out beside each other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** For each change that is not in force yet the roots that were revoked since it was asked for. */
  readonly #revokedMeanwhile = new Set<string[]>();

  constructor(options: BoundaryChangesOptions) {
    this.#options = options;
    this.#boundary = options.boundary;
  }

  get boundary(): SessionBoundary {
    return this.#boundary;
  }

  /** The same with its network rule settled: `full` leaves it to the agent's own. */
  get settled(): Boundary {
    return settled(this.#boundary);
  }

  async set(wish: BoundaryWish, by: Actor, expectedRevision?: number): Promise<ChangeResult> {
    const change = await this.#inTurn(by, async () => {
      const { revision, roots } = this.#boundary;
      if (expectedRevision !== undefined && expectedRevision !== revision) return { kind: 'conflict', revision };
      const { cwd, rules } = this.#options;
      const wanted = { ...wish, roots: wish.roots ?? roots };
      const check = await resolveBoundary({ wish: wanted, cwd, additionalDirectories: [] }, rules);
      if (check.kind === 'invalid') return this.#refuse(check, by);
      const { boundary } = check.place;
      const again = await this.#options.roots.approveAgain(boundary.roots.map(({ path }) => path));
      const network = boundary.network ?? this.#boundary.network;
      const require = boundary.require ?? this.#boundary.require;
      const settings = { ...(network === undefined ? {} : { network }), ...(require === undefined ? {} : { require }) };
      return { kind: 'wanted', boundary: { roots: boundary.roots, revision, ...settings }, again, expectedRevision };
    });
    return change.carried;
  }

  async narrow(to: BoundaryPart, by: Actor): Promise<ChangeResult> {
    const change = await this.#inTurn(by, async () => ({
      kind: 'wanted',
      boundary: narrow(this.settled, to),
      again: false,
    }));
    return change.carried;
  }

  async widen(part: BoundaryPart, by: Actor): Promise<ChangeResult> {
    return (await this.add(part, by)).carried;
  }

  /** The same, and resolves as soon as it is in force. */
  add(part: BoundaryPart, by: Actor): Promise<InForce> {
    return this.#inTurn(by, async () => {
      const [first] = part.roots ?? [];
      if (!first) return { kind: 'wanted', boundary: widen(this.settled, part), again: false };
      const check = await resolveRoots(part.roots ?? [], this.#options.rules);
      if (check.kind === 'invalid') return this.#refuse(check, by);
      const { roots } = check;
      const again = await this.#options.roots.approveAgain(roots.map(({ path }) => path));
      return { kind: 'wanted', boundary: widen(this.settled, { ...part, roots }), again };
    });
  }

  /** Why these could not be added now; undefined where they could. Changes nothing. */
  async cannotAdd(roots: readonly BoundaryRoot[]): Promise<string | undefined> {
    const check = await resolveRoots(roots, this.#options.rules);
    if (check.kind === 'invalid') {
      const [first] = check.issues;
      return `It cannot be a root: ${first?.received}, ${first?.fix}.`;
    }
    const { roots: all } = widen(this.settled, { roots: check.roots });
    return all.length > this.#options.rules.maxRoots ? tooMany(all.length, this.#options.rules) : undefined;
  }

  /** In force when this returns. */
  revoke(path: string, by: Actor): Promise<ChangeResult> {
    const before = this.#boundary;
    const revoked = revokeRoot(this.settled, path);
    if (revoked.kind === 'revoked') {
      const carried = this.#apply(revoked.boundary, by, false);
      if (this.#boundary !== before) for (const paths of this.#revokedMeanwhile) paths.push(path);
      return carried;
    }
    return Promise.resolve({ kind: 'refused', reason: 'It is no root of this session.', next: revoked.next });
  }

  /** The scope of a server changed though the boundary did not. */
  revise(): void {
    const before = this.#boundary;
    this.#boundary = { ...before, revision: before.revision + 1 };
    const change: BoundaryChange = { before, after: this.#boundary, diff: NO_CHANGE, by: 'reeve' };
    void this.#tell(change);
  }

  watch(listener: (change: BoundaryChange) => Promise<void>): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #refuse({ issues, refusals }: RefusedPlace, by: Actor): Prepared {
    if (refusals.length > 0) this.#options.onRefused(refusals, by);
    return { kind: 'invalid', issues };
  }

  #inTurn(by: Actor, prepare: () => Promise<Prepared>): Promise<InForce> {
    const revoked: string[] = [];
    this.#revokedMeanwhile.add(revoked);
    const run = async (): Promise<InForce> => {
      const prepared = await prepare();
      if (prepared.kind !== 'wanted') return { carried: Promise.resolve(prepared) };
      const { again, expectedRevision } = prepared;
      await this.#options.roots.look(prepared.boundary.roots.map(({ path }) => path));
      const boundary = { ...prepared.boundary, roots: this.#asBefore(this.#asFound(prepared.boundary.roots)) };
      await setImmediate();
      const { revision } = this.#boundary;
      if (expectedRevision !== undefined && expectedRevision !== revision) {
        return { carried: Promise.resolve({ kind: 'conflict', revision }) };
      }
      return { carried: this.#apply(without(boundary, revoked), by, again) };
    };
    // However many come, everything else goes on between two of them.
    const turn = this.#turn.then(() => setImmediate()).then(run);
    const over = (): void => void this.#revokedMeanwhile.delete(revoked);
    this.#turn = turn.then(over, over);
    return turn;
  }

  /** What each of them is, directory or file, as it was looked at. */
  #asFound(roots: readonly BoundaryRoot[]): readonly BoundaryRoot[] {
    return roots.map((root) => {
      const found = this.#options.roots.examiner.identity(root.path)?.kind ?? root.kind;
      if (found === (root.kind ?? 'directory')) return root;
      const { kind: _, ...others } = root;
      return found === 'file' ? { ...others, kind: found } : others;
    });
  }

  /** Each root that is as it was is the same object: what was found out about it need not be found out again. */
  #asBefore(roots: readonly BoundaryRoot[]): readonly BoundaryRoot[] {
    const before = new Map(this.#boundary.roots.map((root) => [root.path, root]));
    return roots.map((root) => {
      const known = before.get(root.path);
      return known?.access === root.access && known.kind === root.kind && known.name === root.name ? known : root;
    });
  }

  /** Puts another boundary in force at once, and resolves when everybody has changed over. @param again a lost root is approved anew */
  async #apply(wanted: SessionBoundary, by: Actor, again: boolean): Promise<ChangeResult> {
    const { cwd, rules, roots, onChange } = this.#options;
    if (wanted.roots.length > rules.maxRoots) {
      const reason = tooMany(wanted.roots.length, rules);
      return { kind: 'refused', reason, next: 'Name a common parent of some of them.' };
    }
    if (acpDirectories(wanted, cwd).kind === 'cwd_outside') {
      const next = 'End the session, or leave a root around its working directory.';
      return { kind: 'refused', reason: 'The agent works in that directory.', next };
    }
    const before = this.#boundary;
    const found = diffBoundary(settled(before), settled(wanted));
    // Who runs on has what was there before it was lost.
    const diff: BoundaryDiff = again && found.restart === 'none' ? { ...found, restart: 'when_confined' } : found;
    if (!again && !diff.listChanged && diff.network === 'same' && before.require === wanted.require) {
      return { kind: 'unchanged', boundary: before, servers: [] };
    }
    const { network, ...rest } = wanted;
    const ownRule = network === undefined || (before.network === undefined && network === 'full');
    this.#boundary = { ...rest, ...(ownRule ? {} : { network }), revision: before.revision + 1 };
    // What is no root any more need not be looked after; whatever is one is by now.
    setImmediateCallback(() => roots.keep()).unref();
    const change: BoundaryChange = { before, after: this.#boundary, diff, by: by.label };
    // All in this very tick: what the new boundary forbids is not answered by the old one. Who keeps it is first: see `watch`.
    const listeners = this.#tell(change);
    const servers = onChange(change);
    const outcomes = await Promise.all(servers);
    const others: ServerOutcome[] = (await listeners)
      ? []
      : [{ server: 'agent', result: 'failed', detail: 'the agent could not change over' }];
    return { kind: 'changed', boundary: this.#boundary, servers: [...outcomes, ...others] };
  }

  /** False when one of them could not carry it out. */
  async #tell(change: BoundaryChange): Promise<boolean> {
    const told = await Promise.allSettled([...this.#listeners].map((listener) => listener(change)));
    const failed = told.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    for (const { reason } of failed) this.#options.onFailure(reason, 'a change of the boundary was not carried out');
    return failed.length === 0;
  }
}

function tooMany(count: number, { maxRoots }: BoundaryRules): string {
  return `That makes ${count} roots, and ${maxRoots} are allowed (limits.maxRoots).`;
}

/** What was revoked since a change was prepared is not given again by it. */
function without(wanted: SessionBoundary, revoked: readonly string[]): SessionBoundary {
  if (revoked.length === 0) return wanted;
  const taken = indexRoots(
    revoked.map((path) => ({ path, access: 'rw' })),
    DISTINCT_NAMES,
  );
  return { ...wanted, roots: wanted.roots.filter(({ path }) => taken.around(path) === undefined) };
}

function settled(boundary: SessionBoundary): Boundary {
  return { ...boundary, network: boundary.network ?? 'full' };
}
