import type { JsonObject } from '@reeve/protocol';
import type { SessionServices } from './session-services.ts';
import type { SessionRecord } from './session-store.ts';
import { setupAfterUpdate } from './setup-state.ts';

/** How late the time of the last activity may be on disk. */
const TOUCH_MS = 1000;

/** Keeps the record of one session, in memory and in the store. */
export class RecordKeeper {
  readonly #services: SessionServices;
  #record: SessionRecord;
  #touched: NodeJS.Timeout | undefined;
  #finished = false;

  constructor(services: SessionServices, record: SessionRecord) {
    this.#services = services;
    this.#record = record;
  }

  get record(): SessionRecord {
    return this.#record;
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

  /** Takes over what an update of the agent says of the session itself: title, mode, config options. */
  follow(update: JsonObject): void {
    if (update.sessionUpdate === 'session_info_update') {
      if (typeof update.title === 'string') this.update({ title: update.title });
      return;
    }
    this.update({ setup: setupAfterUpdate(this.#record.setup, update) });
  }

  /** From now on nothing is written but by `finish`. */
  hold(): void {
    this.#finished = true;
    clearTimeout(this.#touched);
  }

  /** The last write. Durable once resolved. */
  async finish(closed: boolean): Promise<void> {
    this.hold();
    this.#record = { ...this.#record, closed };
    await this.#services.store.put(this.#record);
  }

  #store(): void {
    clearTimeout(this.#touched);
    this.#touched = undefined;
    if (this.#finished) return;
    this.#services.store.put(this.#record).catch((error: unknown) => {
      const { sessionId } = this.#record;
      this.#services.warn('the session could not be stored', { sessionId, error: String(error) });
    });
  }
}
