import type { LeaseEpoch, SessionId } from '@reeve/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeAuditStoreContract } from './audit-store.contract.ts';
import { describeEventLogContract } from './event-log.contract.ts';
import { describeGrantStoreContract } from './grant-store.contract.ts';
import { describeRequestStoreContract } from './request-store.contract.ts';
import { describeSessionStoreContract } from './session-store.contract.ts';
import type { Store } from './store.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

/** Where one test's store lives: opened once at the start, and again where a test closes it to see what stayed. */
export interface StorePlace extends AsyncDisposable {
  /** What is stored outlives the store. */
  readonly persistent: boolean;
  open(): Promise<Store>;
}

/** Everything that the ports of events, sessions, requests, audit and boundaries promise, for one driver. */
export function describeStoreContract(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(name, () => {
    let place: StorePlace;
    let store: Store;
    const subject: StoreUnderTest = {
      get store() {
        return store;
      },
      get persistent() {
        return place.persistent;
      },
      async reopen() {
        await store[Symbol.asyncDispose]();
        store = await place.open();
        return store;
      },
    };
    beforeEach(async () => {
      place = await makePlace();
      store = await place.open();
    });
    afterEach(async () => {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    });

    describe('event log', () => describeEventLogContract(subject));
    describe('sessions', () => describeSessionStoreContract(subject));
    describe('requests', () => describeRequestStoreContract(subject));
    describe('audit', () => describeAuditStoreContract(subject));
    describe('decisions', () => describeGrantStoreContract(subject));

    it('finishes what was called before it was disposed of, and rejects what is called after', async () => {
      const before = store.sessions.putTurn({
        sessionId: 's' as SessionId,
        idempotencyKey: 'k',
        promptSeq: 1 as never,
      });
      const disposed = store[Symbol.asyncDispose]();
      const after = store.events.release('s' as SessionId, 1 as LeaseEpoch);
      await expect(after).rejects.toMatchObject({ code: 'closed' });
      await expect(before).resolves.toBe(true);
      await disposed;
      await expect(store.sessions.find('s')).rejects.toMatchObject({ code: 'closed' });
      await expect(store.requests.list({})).rejects.toMatchObject({ code: 'closed' });
      await expect(store.events.head('s' as SessionId)).rejects.toMatchObject({ code: 'closed' });
    });

    it('may be disposed of twice', async () => {
      await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
      await store[Symbol.asyncDispose]();
    });
  });
}
