import {
  isObject,
  type JsonObject,
  ourMeta,
  patchMetadata,
  type SessionFailure,
  type SessionMetadata,
} from '@reeve/protocol';
import { setupAfterUpdate } from './follow-setup.ts';
import { metadataOf, recordOfMetadata } from './session-metadata.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';
import type { SetupState } from './setup-state.ts';

/** How late the time of the last activity may be on disk. */
const TOUCH_MS = 1000;
/** Of an agent's title; that of a client is refused when it is longer. */
const MAX_TITLE = 1000;

/** Keeps the record of one session, in memory and in the store. */
export class RecordKeeper {
  readonly #services: SessionServices;
  #record: SessionRecord;
  #touched: NodeJS.Timeout | undefined;
  #draft: boolean;
  #published: boolean;
  #finished = false;

  /** Of a draft nothing is written until it is published. */
  constructor(services: SessionServices, record: SessionRecord, draft: boolean) {
    this.#services = services;
    this.#record = record;
    this.#draft = draft;
    this.#published = !draft;
  }

  get record(): SessionRecord {
    return this.#record;
  }

  /** Others find it in the store. */
  get published(): boolean {
    return this.#published;
  }

  get setup(): SetupState {
    return this.#record.setup;
  }

  set setup(setup: SetupState) {
    if (setup !== this.#record.setup) this.update({ setup });
  }

  get metadata(): SessionMetadata {
    return metadataOf(this.#record);
  }

  /** A turn began or ended: that alone is worth no write of its own, it goes with the next. */
  touch(): void {
    this.#record = { ...this.#record, updatedAt: Date.now() };
    if (!this.#finished) this.#touched ??= setTimeout(() => this.#store(), TOUCH_MS).unref();
  }

  update(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change, updatedAt: Date.now() };
    this.#store();
  }

  /** Undefined: what failed is made good. */
  set failure(failure: SessionFailure | undefined) {
    if (failure !== this.#record.failure) this.update({ failure });
  }

  /** Durable with the next `stored`. */
  setMetadata(whole: SessionMetadata): void {
    const { title: _before, ...rest } = this.#record;
    this.#record = { ...rest, ...recordOfMetadata(whole) };
    this.update({});
  }

  /** Ends the draft: from now on others find the session. Durable once resolved; of one whose alias is taken nothing is kept. */
  async publish(): Promise<'stored' | 'alias-taken'> {
    // What changes while it is written is written after it.
    this.#draft = false;
    const outcome = await this.#services.store.put(this.#record);
    this.#draft = outcome === 'alias-taken';
    this.#published = outcome === 'stored';
    return outcome;
  }

  /** Writes the record as it is now. Durable once resolved. */
  async stored(): Promise<void> {
    await this.#services.store.put(this.#record);
  }

  /** Somebody has the session again: it is no longer closed. */
  reopen(): void {
    if (this.#record.closed) this.#record = { ...this.#record, closed: false };
  }

  /** Takes over what an update of the agent says of the session itself: title and other metadata, mode, config options. */
  follow(update: JsonObject): void {
    if (update.sessionUpdate === 'session_info_update') return this.#followInfo(update);
    this.update({ setup: setupAfterUpdate(this.#record.setup, update) });
  }

  /** From now on nothing is written but by `finish`. */
  hold(): void {
    this.#finished = true;
    clearTimeout(this.#touched);
  }

  /** The last write. Durable once resolved. A closed session that nobody came to stays closed. */
  async finish(closed: boolean): Promise<void> {
    this.hold();
    this.#record = { ...this.#record, closed: closed || this.#record.closed };
    if (!this.#draft) await this.#services.store.put(this.#record);
  }

  /** What an agent says amiss is passed on and not kept. */
  #followInfo(update: JsonObject): void {
    const title =
      typeof update.title === 'string' || update.title === null ? { title: shortLine(update.title ?? '') || null } : {};
    const others = isObject(update._meta) ? ourMeta(update) : {};
    for (const patch of [title, others]) {
      const check = patchMetadata(this.metadata, patch, this.#services.limits.maxMetadataBytes);
      if (check.kind === 'ok' && Object.keys(patch).length > 0) this.setMetadata(check.metadata);
    }
  }

  #store(): void {
    clearTimeout(this.#touched);
    this.#touched = undefined;
    if (this.#finished || this.#draft) return;
    this.#services.store.put(this.#record).catch((error: unknown) => {
      const { sessionId } = this.#record;
      this.#services.warn('the session could not be stored', { sessionId, error: String(error) });
    });
  }
}

/** A title of an agent, which may be anything, as one line. */
function shortLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_TITLE);
}
