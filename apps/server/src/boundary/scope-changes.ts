import type { TraceId } from '../audit/trace-id.ts';
import { currentTrace } from '../audit/trace-scope.ts';
import type { DeclaredServer } from './declared-server.ts';
import type { ScopeChange } from './server-guard.ts';
import type { ServerOutcome } from './session-guard.ts';

export interface ScopeChangesNeeds {
  readonly server: DeclaredServer;
  /** It has a process now. */
  readonly runs: () => boolean;
  readonly onFailure: (error: unknown, what: string) => void;
}

/** Carries out how the scope of one server changes: whoever listens changes over, then it is known what came of it. */
export class ScopeChanges {
  readonly #needs: ScopeChangesNeeds;
  readonly #listeners = new Set<(change: ScopeChange) => Promise<void>>();
  #verified: { readonly revision: number; readonly kind: 'gone' | 'unverified'; readonly detail: string } | undefined;
  #outcome: Promise<ServerOutcome>;
  #carrying: TraceId | undefined;

  constructor(needs: ScopeChangesNeeds) {
    this.#needs = needs;
    this.#outcome = Promise.resolve({ server: needs.server.name, result: 'unaffected' });
  }

  /** What became of the last change. */
  get outcome(): Promise<ServerOutcome> {
    return this.#outcome;
  }

  /** The trace of the change that is being carried out. */
  get carrying(): TraceId | undefined {
    return this.#carrying;
  }

  watch(listener: (change: ScopeChange) => Promise<void>): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** See ServerGuard. */
  verified(revision: number, probe: { readonly kind: 'gone' | 'unverified'; readonly detail: string }): void {
    this.#verified = { revision, ...probe };
  }

  /** Never rejects: a listener that fails is an outcome. */
  carryOut(change: ScopeChange): Promise<ServerOutcome> {
    this.#outcome = this.#tell(change);
    return this.#outcome;
  }

  async #tell(change: ScopeChange): Promise<ServerOutcome> {
    const server = this.#needs.server.name;
    const trace = currentTrace();
    this.#carrying = trace;
    const told = await Promise.allSettled([...this.#listeners].map((listener) => listener(change)));
    if (this.#carrying === trace) this.#carrying = undefined;
    const failed = told.find((one) => one.status === 'rejected');
    if (failed) {
      this.#needs.onFailure(failed.reason, `MCP server "${server}" could not change over`);
      return { server, result: 'failed', detail: 'the server could not change over; its calls are refused' };
    }
    if (change.diff.restart !== 'required') return { server, result: 'told' };
    const probe = this.#verified;
    if (probe && probe.revision >= change.after.revision) return { server, result: probe.kind, detail: probe.detail };
    if (this.#needs.server.transport.kind !== 'stdio') {
      return { server, result: 'unverified', detail: 'a remote server keeps what it was told before' };
    }
    if (!this.#needs.runs()) return { server, result: 'gone', detail: 'it does not run' };
    return { server, result: 'unverified', detail: 'nothing looked from inside its sandbox' };
  }
}
