import type {
  AgentEpoch,
  JsonRpcId,
  RequestAnswer,
  RequestId,
  RequestState,
  ReviewParams,
  SessionId,
} from '@reeve/protocol';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Audit } from '../audit/audit-fact.ts';
import { createMemoryRequestStore } from '../store/memory/memory-request-store.ts';
import { type Ask, type PatienceMs, RequestBroker } from './request-broker.ts';
import type { RequestStore } from './request-store.ts';

const SESSION = 's' as SessionId;
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

function permission(rpcId: JsonRpcId, agentEpoch = 1, sessionId = SESSION): Ask {
  const params = { sessionId, options };
  return {
    sessionId,
    agentEpoch: agentEpoch as AgentEpoch,
    rpcId,
    kind: 'permission',
    method: 'session/request_permission',
    params,
  };
}

const REVIEW: ReviewParams = {
  review: 'root',
  approval: 'administrator',
  server: {
    name: 'files',
    fingerprint: 'sha256:1',
    origin: 'client',
    transport: 'stdio',
    local: true,
    sandboxed: true,
    changed: false,
  },
  scopes: ['session'],
};

const selected = (optionId: string): RequestAnswer => ({ result: { outcome: { outcome: 'selected', optionId } } });

const audit: Audit = { async record() {}, note() {} };

function openBroker(store: RequestStore = createMemoryRequestStore(() => {})) {
  const failures: unknown[] = [];
  const broker = new RequestBroker({
    store,
    audit,
    patience: { permissionMs: 0, questionMs: 0 },
    onFailure: (error) => failures.push(error),
  });
  return { broker, store, failures };
}

describe('the request broker', () => {
  it('lets exactly one of two answers win, a thousand times', async () => {
    const { broker, store } = openBroker();
    for (let round = 0; round < 1000; round += 1) {
      const settled: RequestState[] = [];
      const request = broker.open(permission(round), (_request, state) => settled.push(state));
      const answers = round % 2 === 0 ? ['yes', 'no'] : ['no', 'yes'];
      const results = await Promise.all(
        answers.map((option, client) => broker.answer(request.id, selected(option), { label: `client ${client}` })),
      );
      expect(results.map(({ kind }) => kind).sort()).toEqual(['already_resolved', 'answered']);
      expect(settled).toHaveLength(1);
      const won = results.findIndex(({ kind }) => kind === 'answered');
      expect(settled[0]).toMatchObject({ kind: 'answered', by: `client ${won}` });
      const late = await broker.answer(request.id, selected('yes'), { label: 'late' });
      expect(late).toMatchObject({ kind: 'already_resolved', request: { state: settled[0] } });
      expect((await store.find(request.id))?.state).toEqual(settled[0]);
    }
    expect(broker.pendingCount).toBe(0);
  });

  it('keeps a review while agents and turns end, and ends it with the session; who watches the session is told', async () => {
    const { broker, store } = openBroker();
    const told: string[] = [];
    using _watching = broker.watchReviews(SESSION, {
      opened: (review) => told.push(`opened ${review.rpcId} ${review.agentEpoch}`),
      settled: (_review, state) => told.push(state.kind),
    });
    const settled: RequestState[] = [];
    const review = broker.openReview(SESSION, REVIEW, {
      onAnswer: async () => {},
      onSettled: (_request, state) => settled.push(state),
    });
    broker.open(permission(1), () => {});
    await broker.endAgent(SESSION, 'void', 'the agent process ended');
    expect(broker.pendingOf(SESSION).map(({ id }) => id)).toEqual([review.id]);
    expect(await broker.answer(review.id, { decision: 'approve' }, { label: 'a' })).toMatchObject({
      kind: 'not_offered',
    });
    await broker.endSession(SESSION, 'cancelled', 'the session ended');
    expect(settled).toMatchObject([{ kind: 'cancelled' }]);
    expect((await store.find(review.id))?.state).toMatchObject({ kind: 'cancelled' });
    expect(told).toEqual(['opened null 0', 'cancelled']);
  });

  it('lets an administrator answer a review that needs one, and ends one that is taken back', async () => {
    const { broker } = openBroker();
    const [first, second] = [0, 1].map(() =>
      broker.openReview(SESSION, REVIEW, { onAnswer: async () => {}, onSettled: () => {} }),
    );
    const by = { label: 'http-api', administrator: true };
    const id = first?.id as RequestId;
    expect(await broker.answer(id, { decision: 'approve' }, by)).toMatchObject({
      kind: 'answered',
      request: { state: { by: 'http-api', result: { decision: 'approve', scope: 'session' } } },
    });
    await broker.cancel(second?.id as RequestId, 'asked again');
    expect(broker.pendingCount).toBe(0);
  });

  it('refuses what was not offered and still takes an answer that was', async () => {
    const { broker } = openBroker();
    const settled: RequestState[] = [];
    const request = broker.open(permission(1), (_request, state) => settled.push(state));
    const by = { label: 'a' };
    for (const answer of [
      selected('maybe'),
      { result: null },
      { result: {} },
      { optionId: 'x' },
      { reply: 'always' },
    ]) {
      const result = await broker.answer(request.id, answer as RequestAnswer, by);
      if ((answer as { reply?: string }).reply === 'always')
        expect(result).toMatchObject({ kind: 'answered', request: { state: { mapping: { nearest: true } } } });
      else expect(result).toMatchObject({ kind: 'not_offered', offered: ['yes', 'no'] });
    }
    expect(settled).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId: 'yes' } } }]);
  });

  it('knows nothing of an id that it did not give', async () => {
    const { broker } = openBroker();
    expect(await broker.answer('none' as RequestId, { reply: 'once' }, { label: 'a' })).toEqual({ kind: 'unknown' });
  });

  it('keeps apart requests with one JSON-RPC id: of another type, another process, another session', async () => {
    const { broker } = openBroker();
    const settled: unknown[] = [];
    const ask = (it: Ask) => broker.open(it, (request) => settled.push(request.id));
    const [one, text, next, other] = [
      ask(permission(1)),
      ask(permission('1')),
      ask(permission(1, 2)),
      ask(permission(1, 1, 'o' as SessionId)),
    ];
    broker.cancelOne(SESSION, 1 as AgentEpoch, 1, 'taken back');
    await expect.poll(() => settled, { interval: 5 }).toEqual([one.id]);
    await broker.endSession(SESSION, 'void', 'gone');
    expect(settled).toEqual([one.id, text.id, next.id]);
    expect(broker.pendingOf('o' as SessionId)).toEqual([other]);
  });

  it('takes an answer again after the store failed to keep one', async () => {
    const memory = createMemoryRequestStore(() => {});
    let broken = true;
    const settle: RequestStore['settle'] = async (...args) => {
      if (broken) throw new Error('disk full');
      return memory.settle(...args);
    };
    const { broker } = openBroker({ ...memory, settle });
    const settled: RequestState[] = [];
    const request = broker.open(permission(1), (_request, state) => settled.push(state));
    await expect(broker.answer(request.id, selected('yes'), { label: 'a' })).rejects.toThrow('disk full');
    expect(settled).toEqual([]);
    broken = false;
    expect(await broker.answer(request.id, selected('no'), { label: 'b' })).toMatchObject({ kind: 'answered' });
    expect(settled).toHaveLength(1);
  });

  it('ends a request that could not be stored, so that its agent does not wait for ever', async () => {
    const memory = createMemoryRequestStore(() => {});
    const { broker, failures } = openBroker({ ...memory, add: () => Promise.reject(new Error('disk full')) });
    const settled: RequestState[] = [];
    broker.open(permission(1), (_request, state) => settled.push(state));
    await expect.poll(() => settled, { interval: 5 }).toMatchObject([{ kind: 'cancelled' }]);
    expect(failures).toHaveLength(1);
    expect(broker.pendingCount).toBe(0);
  });

  it('ends a request that was settled behind its back', async () => {
    const { broker, store } = openBroker();
    const settled: RequestState[] = [];
    const request = broker.open(permission(1), (_request, state) => settled.push(state));
    await store.voidPending('restart', 1);
    expect(await broker.answer(request.id, selected('yes'), { label: 'a' })).toMatchObject({
      kind: 'already_resolved',
    });
    expect(settled).toHaveLength(1);
    expect(broker.pendingOf(SESSION)).toEqual([]);
  });

  it('settles each request exactly once, however answers, cancels and ends interleave', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('open' as const), rpcId: fc.nat(5), epoch: fc.integer({ min: 1, max: 2 }) }),
      fc.record({
        do: fc.constant('answer' as const),
        index: fc.nat(20),
        option: fc.constantFrom('yes', 'no', 'none'),
      }),
      fc.record({ do: fc.constant('cancel' as const), rpcId: fc.nat(5), epoch: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ do: fc.constant('end' as const), kind: fc.constantFrom('cancelled' as const, 'void' as const) }),
      fc.record({ do: fc.constant('rest' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.scheduler(), async (steps, scheduler) => {
        const memory = createMemoryRequestStore(() => {});
        const settle = scheduler.scheduleFunction(memory.settle);
        const { broker, failures } = openBroker({ ...memory, settle });
        const opened: RequestId[] = [];
        const settled = new Map<RequestId, RequestState[]>();
        const wins = new Map<RequestId, number>();
        const work: Promise<unknown>[] = [];
        for (const it of steps) {
          if (it.do === 'open') {
            const request = broker.open(permission(it.rpcId, it.epoch), ({ id }, state) =>
              settled.set(id, [...(settled.get(id) ?? []), state]),
            );
            opened.push(request.id);
          } else if (it.do === 'answer') {
            const id = opened[it.index];
            if (id === undefined) continue;
            const answered = broker.answer(id, selected(it.option), { label: 'x' });
            work.push(answered.then(({ kind }) => kind === 'answered' && wins.set(id, (wins.get(id) ?? 0) + 1)));
          } else if (it.do === 'cancel') broker.cancelOne(SESSION, it.epoch as AgentEpoch, it.rpcId, 'taken back');
          else if (it.do === 'end') work.push(broker.endSession(SESSION, it.kind, 'end'));
          else if (scheduler.count() > 0) await scheduler.waitOne();
        }
        work.push(broker.endSession(SESSION, 'void', 'over'));
        await scheduler.waitAll();
        await Promise.all(work);
        expect(failures).toEqual([]);
        expect(broker.pendingCount).toBe(0);
        for (const id of opened) {
          expect(settled.get(id)).toHaveLength(1);
          const [state] = settled.get(id) as [RequestState];
          expect((await memory.find(id))?.state).toEqual(state);
          expect(wins.get(id) ?? 0).toBe(state.kind === 'answered' ? 1 : 0);
        }
      }),
    );
  });
});

describe('the patience of the request broker', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openPatient(patience: Partial<PatienceMs>, store: RequestStore = createMemoryRequestStore(() => {})) {
    const failures: unknown[] = [];
    const onFailure = (error: unknown): void => void failures.push(error);
    const broker = new RequestBroker({
      store,
      audit,
      patience: { permissionMs: 0, questionMs: 0, ...patience },
      onFailure,
    });
    const settled: RequestState[] = [];
    const ask = (offered: readonly unknown[]) =>
      broker.open({ ...permission(1), params: { options: offered } }, (_request, state) => settled.push(state));
    return { broker, store, settled, ask, failures };
  }

  it('rejects what nobody answered in time: a kind that rejects, else cancelled', async () => {
    const { settled, ask } = openPatient({ permissionMs: 1000 });
    const never = { optionId: 'never', kind: 'reject_always' };
    ask([{ optionId: 'yes', kind: 'allow_once' }, never, { optionId: 'no', kind: 'reject_once' }]);
    ask([{ optionId: 'yes', kind: 'allow_once' }, never]);
    ask([{ optionId: 'yes', kind: 'allow_once' }]);
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const by = 'reeve (time-out)';
    expect(settled).toMatchObject([
      { by, ...selected('no'), mapping: { asked: 'reject', chosen: { optionId: 'no' }, nearest: false } },
      { by, ...selected('never'), mapping: { chosen: { optionId: 'never', kind: 'reject_always' }, nearest: true } },
      { by, result: { outcome: { outcome: 'cancelled' } }, mapping: { asked: 'reject', nearest: false } },
    ]);
  });

  it('denies a review that nobody answered in time', async () => {
    const { broker, settled } = openPatient({ permissionMs: 1, reviewMs: 1000 });
    broker.openReview(SESSION, REVIEW, {
      onAnswer: async () => {},
      onSettled: (_request, state) => settled.push(state),
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(settled).toMatchObject([{ kind: 'answered', by: 'reeve (time-out)', result: { decision: 'deny' } }]);
  });

  it('waits for ever at 0, and for an answer that came before', async () => {
    const forEver = openPatient({ questionMs: 10 });
    forEver.ask(options);
    expect(vi.getTimerCount()).toBe(0);
    const { broker, settled, ask } = openPatient({ permissionMs: 1000 });
    const request = ask(options);
    expect(await broker.answer(request.id, { reply: 'once' }, { label: 'a' })).toMatchObject({ kind: 'answered' });
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(2000);
    expect(settled).toMatchObject([{ by: 'a' }]);
  });

  it('tries again after as long while its store fails', async () => {
    const memory = createMemoryRequestStore(() => {});
    let broken = true;
    const settle: RequestStore['settle'] = async (...args) => {
      if (broken) throw new Error('disk full');
      return memory.settle(...args);
    };
    const { settled, ask, failures } = openPatient({ permissionMs: 1000 }, { ...memory, settle });
    ask(options);
    await vi.advanceTimersByTimeAsync(1000);
    expect([settled.length, failures.length]).toEqual([0, 1]);
    broken = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(settled).toMatchObject([{ by: 'reeve (time-out)' }]);
  });

  it('still ends what somebody answered just then, when that answer could not be kept', async () => {
    const memory = createMemoryRequestStore(() => {});
    const { promise: failing, reject: fail } = Promise.withResolvers<boolean>();
    let first = true;
    const settle: RequestStore['settle'] = (...args) => {
      const answer = first ? failing : memory.settle(...args);
      first = false;
      return answer;
    };
    const { broker, settled, ask } = openPatient({ permissionMs: 1000 }, { ...memory, settle });
    const lost = broker.answer(ask(options).id, { reply: 'once' }, { label: 'a' });
    await vi.advanceTimersByTimeAsync(1500);
    expect(settled).toEqual([]);
    fail(new Error('disk full'));
    await expect(lost).rejects.toThrow('disk full');
    await vi.advanceTimersByTimeAsync(500);
    expect(settled).toMatchObject([{ by: 'reeve (time-out)' }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
