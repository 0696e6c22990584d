import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Audit, AuditFact } from './audit-fact.ts';
import type { AuditKeyFiles } from './audit-keys.ts';
import type { NewRecord } from './audit-record.ts';
import type { AuditStore } from './audit-store.ts';
import { readCheckpoint, signCheckpoint } from './checkpoint.ts';
import { rootOf } from './merkle-tree.ts';
import { type DataKey, newDataKey, unwrapDataKey, wrapDataKey } from './path-seal.ts';
import { PlaceLabels } from './place-labels.ts';
import { placesOf, recordOfFact } from './record-of-fact.ts';
import { type RevealResult, type RevealVerdict, revealPaths } from './reveal-paths.ts';
import { type NoteSigner, verifierOf } from './signed-note.ts';
import { newTraceId } from './trace-id.ts';
import { currentTrace } from './trace-scope.ts';

export interface AuditLogOptions {
  readonly store: AuditStore;
  readonly keys: AuditKeyFiles;
  /** Home directory of the user of the server. */
  readonly home: string;
  /** Where Reeve keeps its database, keys and tokens. */
  readonly stateDirectory: string;
  /** Of the server, for the record of its start. */
  readonly version: string;
  /** A checkpoint is signed after so many records, and so long after the first record that none covers. */
  readonly checkpointRecords: number;
  readonly checkpointMs: number;
  /** Something failed that nobody waits for. */
  readonly onFailure: (error: unknown, what: string) => void;
  readonly now?: () => number;
}

interface Opened {
  readonly signer: NoteSigner;
  readonly places: PlaceLabels;
}

/**
 * Opens the log of a store, or begins one. Records that the server started; disposing records that it stopped, and signs a
 * last checkpoint. The store must outlive it.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { store, keys, home, stateDirectory, version } = options;
  const [name, key, dataKey, labelKey, last] = await Promise.all([
    originOf(store),
    keys.signingKey(),
    dataKeyOf(store, keys),
    keys.labelKey(),
    store.lastCheckpoint(),
  ]);
  const signer = { name, key };
  const places = new PlaceLabels({ labelKey, dataKey, home, stateDirectory });
  const log = new AuditLog(options, { signer, places });
  const read = last === undefined ? undefined : readCheckpoint(last, [verifierOf(signer)]);
  if (read?.kind === 'unsigned') await log.record({ kind: 'audit.key_replaced', after: log.publicKey });
  if (read && read.kind !== 'malformed' && read.checkpoint.size > (await store.tree()).size) {
    const lost = `${read.checkpoint.size - (await store.tree()).size} records that a checkpoint covers are gone`;
    options.onFailure(new Error(`${lost}: run "reeve audit verify"`), 'the audit log was cut');
  }
  await keys.writePublicKey(log.publicKey);
  await log.record({ kind: 'server.started', version });
  return log;
}

/** See `openAuditLog`. */
export class AuditLog implements Audit, AsyncDisposable {
  readonly #options: AuditLogOptions;
  readonly #places: PlaceLabels;
  #signer: NoteSigner;
  /** How many records the last checkpoint covers. */
  #signedSize = 0;
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Checkpoints are signed one after the other. */
  #signing: Promise<unknown> = Promise.resolve();
  #signDue = false;
  #closed: Promise<void> | undefined;

  constructor(options: AuditLogOptions, { signer, places }: Opened) {
    this.#options = options;
    this.#signer = signer;
    this.#places = places;
  }

  /** Names the log in its checkpoints. */
  get origin(): string {
    return this.#signer.name;
  }

  /** The key that checks the signatures, as `reeve audit verify --key` takes it. */
  get publicKey(): string {
    return verifierOf(this.#signer).text;
  }

  get store(): AuditStore {
    return this.#options.store;
  }

  record(fact: AuditFact): Promise<void> {
    return this.#add(fact);
  }

  note(fact: AuditFact): void {
    this.#add(fact, 'unhurried').catch((error: unknown) =>
      this.#options.onFailure(error, `the audit lacks a record of ${fact.kind}`),
    );
  }

  async #add(fact: AuditFact, pace?: 'unhurried'): Promise<void> {
    const at = this.#now();
    const trace = currentTrace() ?? newTraceId();
    const named = placesOf(fact);
    const known = this.#places.remembered(named);
    // Without a wait where that can be: what the caller writes next comes after it.
    const places = known ?? (await this.#places.looked(named));
    await this.#append(recordOfFact(fact, { at, trace, places }), pace);
  }

  /** The label under which records about a path are found; undefined for one that is not absolute. */
  labelOf(path: string): string | undefined {
    return this.#places.labelOf(path);
  }

  /** Signs what the log has now; gives the last checkpoint when nothing came since. Durable once resolved. */
  checkpoint(): Promise<string> {
    return this.#inTurn(() => this.#sign([this.#signer]));
  }

  /** The paths of a record in the clear, where `permit` lets this person see them. Recorded before they are given, or refused. */
  reveal(
    seq: number,
    by: string,
    permit: (session: string | undefined) => Promise<RevealVerdict>,
  ): Promise<RevealResult> {
    const { store, keys } = this.#options;
    return revealPaths({ store, keys, seq, permit }, ({ kind, policies, policyHash }, paths) => {
      const told = { by, record: seq, policies, policyHash };
      return kind === 'refused'
        ? this.record({ kind: 'audit.reveal_refused', decision: 'deny', ...told })
        : this.record({ kind: 'audit.path_revealed', paths, ...told });
    });
  }

  /**
   * A new key signs from now on. The change stands in the log under a checkpoint that both keys sign: who trusts the old
   * one can trust the new one. Gives the new public key.
   */
  rotateKey(by: string): Promise<string> {
    return this.#inTurn(async () => {
      const old = this.#signer;
      const next = { name: old.name, key: generateKeyPairSync('ed25519').privateKey as KeyObject };
      const after = verifierOf(next).text;
      await this.record({ kind: 'audit.key_rotated', by, before: this.publicKey, after });
      await this.#sign([old, next]);
      await this.#options.keys.replaceSigningKey(next.key);
      this.#signer = next;
      await this.#options.keys.writePublicKey(after);
      return after;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= (async () => {
      this.note({ kind: 'server.stopped' });
      await this.checkpoint().catch((error: unknown) =>
        this.#options.onFailure(error, 'the last checkpoint is missing'),
      );
      clearTimeout(this.#timer);
    })();
    return this.#closed;
  }

  async #append(record: NewRecord, pace: 'unhurried' | undefined): Promise<void> {
    const seq = await this.#options.store.append(record, pace);
    this.#size = Math.max(this.#size, seq + 1);
    const { checkpointRecords, checkpointMs } = this.#options;
    if (this.#size - this.#signedSize >= checkpointRecords) this.#signSoon();
    else this.#timer ??= setTimeout(() => this.#signSoon(), checkpointMs).unref();
  }

  #signSoon(): void {
    if (this.#signDue) return;
    this.#signDue = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#inTurn(() => {
      this.#signDue = false;
      return this.#sign([this.#signer]);
    }).catch((error: unknown) => this.#options.onFailure(error, 'a checkpoint of the audit log could not be stored'));
  }

  async #sign(signers: readonly NoteSigner[]): Promise<string> {
    const { store } = this.#options;
    const tree = await store.tree();
    const last = tree.size === this.#signedSize && signers.length === 1 ? await store.lastCheckpoint() : undefined;
    if (last !== undefined) return last;
    const note = signCheckpoint({ origin: this.origin, size: tree.size, root: rootOf(tree) }, signers);
    await store.addCheckpoint(tree.size, note);
    this.#signedSize = tree.size;
    return note;
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#signing.then(run);
    this.#signing = result.catch(() => {});
    return result;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

async function originOf(store: AuditStore): Promise<string> {
  const known = await store.kept('log-id');
  const id = known ?? randomBytes(8).toString('hex');
  if (known === undefined) await store.keep('log-id', id);
  return `reeve-audit/${id}`;
}

/** The key of before, unless the path key that it is wrapped in was destroyed: then a new one, and what the old one sealed stays sealed. */
async function dataKeyOf(store: AuditStore, keys: AuditKeyFiles): Promise<DataKey> {
  const pathKey = (await keys.pathKey(true)) as Buffer;
  const id = await store.kept('data-key');
  const wrapped = id === undefined ? undefined : await store.kept(`data-key:${id}`);
  const known = id !== undefined && wrapped !== undefined ? unwrapDataKey(id, wrapped, pathKey) : undefined;
  if (known) return known;
  const made = newDataKey();
  await store.keep(`data-key:${made.id}`, wrapDataKey(made, pathKey));
  await store.keep('data-key', made.id);
  return made;
}
