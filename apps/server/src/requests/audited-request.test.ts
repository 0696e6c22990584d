import type { AgentEpoch, RequestKind, ReviewParams, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import type { Audit, AuditFact } from '../audit/audit-fact.ts';
import { newTraceId, traceparentOf } from '../audit/trace-id.ts';
import { currentTrace, underCaller, underTrace } from '../audit/trace-scope.ts';
import { createMemoryRequestStore } from '../store/memory/memory-request-store.ts';
import { type Ask, RequestBroker } from './request-broker.ts';

const session = 's' as SessionId;
const ask = (kind: RequestKind, method: string, params: unknown): Ask => ({
  sessionId: session,
  agentEpoch: 1 as AgentEpoch,
  rpcId: 1,
  kind,
  method,
  params,
});
const PERMISSION = ask('permission', 'session/request_permission', {
  toolCall: {
    title: 'planted title',
    kind: 'edit',
    rawInput: { planted: 1 },
    locations: [{ path: '/planted/file' }, { line: 3 }],
    _meta: { claudeCode: { toolName: 'Edit' } },
  },
  options: [
    { optionId: 'planted-id', name: 'planted', kind: 'allow_always' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ],
});

function brokerWith(record: (fact: AuditFact) => Promise<void> = async () => {}, permissionMs = 0) {
  const facts: AuditFact[] = [];
  const audit: Audit = {
    record: (fact) => {
      facts.push(fact);
      return record(fact);
    },
    note: (fact) => void facts.push(fact),
  };
  const store = createMemoryRequestStore(() => {});
  const patience = { permissionMs, questionMs: 0 };
  return { facts, broker: new RequestBroker({ store, audit, patience, onFailure: () => {} }) };
}

describe('the audit of requests', () => {
  it('records who decided what, and neither what was asked nor what was said', async () => {
    const { broker, facts } = brokerWith();
    const { id } = broker.open(PERMISSION, () => {});
    await broker.answer(id, { optionId: 'planted-id' }, { label: 'alice 1.0' });
    const what = { session, request: id, asked: 'permission', tool: { kind: 'edit', name: 'Edit' } };
    const locations = [{ path: '/planted/file' }];
    expect(facts).toEqual([
      { kind: 'request.asked', ...what, offered: ['allow_always', 'reject_once'], locations },
      { kind: 'request.answered', ...what, decision: 'allow', option: 'allow_always', by: 'alice 1.0', locations },
    ]);
  });

  it('tells a refusal, a question that was turned down, and one that was answered', async () => {
    const { broker, facts } = brokerWith();
    const decide = async (asked: Ask, answer: Parameters<RequestBroker['answer']>[1]): Promise<unknown> => {
      const { id } = broker.open(asked, () => {});
      expect(await broker.answer(id, answer, { label: 'bob' })).toMatchObject({ kind: 'answered' });
      return facts.at(-1);
    };
    const question = ask('elicitation', 'elicitation/create', {
      mode: 'form',
      message: 'planted',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    expect(await decide(PERMISSION, { reply: 'reject' })).toMatchObject({ decision: 'deny', option: 'reject_once' });
    const accepted = await decide(question, { content: { name: 'planted' } });
    expect(accepted).toMatchObject({ kind: 'request.answered', asked: 'elicitation', decision: 'answered' });
    const declined = await decide(question, { reject: 'planted reason' });
    expect(declined).toMatchObject({ decision: 'rejected' });
    expect(JSON.stringify([accepted, declined])).not.toMatch(/planted/);
  });

  it('tells an end without an answer, and one that Reeve chose because nobody came', async () => {
    const { broker, facts } = brokerWith(undefined, 20);
    const done = Promise.withResolvers<void>();
    broker.open(PERMISSION, () => done.resolve());
    await done.promise;
    expect(facts.at(-1)).toMatchObject({ kind: 'request.timed_out', decision: 'deny', option: 'reject_once' });
    broker.open(PERMISSION, () => {});
    await broker.endSession(session, 'void', 'the agent process ended');
    expect(facts.at(-1)).toMatchObject({ kind: 'request.ended', decision: 'void', reason: 'the agent process ended' });
  });

  it('tells what becomes of a request in the trace in which it was asked, with the trace that whoever answered named', async () => {
    const traces: (string | undefined)[] = [];
    const { broker, facts } = brokerWith(async () => void traces.push(currentTrace()), 20);
    const [turn, answer] = [newTraceId(), newTraceId()];
    const open = () => underTrace(turn, () => broker.open(PERMISSION, () => {}));
    const kept: (string | undefined)[] = [];
    const review = { review: 'server', approval: 'user', server: {}, scopes: ['session'] } as unknown as ReviewParams;
    const onReviewed = { onAnswer: async () => void kept.push(currentTrace()), onSettled: () => {} };
    const { id } = underTrace(turn, () => broker.openReview(session, review, onReviewed));
    await underCaller(traceparentOf(answer), () => broker.answer(id, { decision: 'approve' }, { label: 'bob' }));
    expect(facts.at(-1)).toMatchObject({ kind: 'request.answered', answerTrace: answer });
    expect(kept).toEqual([turn]);
    const unnamed = open();
    await underCaller(undefined, () => broker.answer(unnamed.id, { optionId: 'no' }, { label: 'bob' }));
    expect(facts.at(-1)).not.toHaveProperty('answerTrace');
    open();
    await underTrace(answer, () => broker.endSession(session, 'void', 'the agent process ended'));
    open();
    await expect.poll(() => facts.at(-1)?.kind).toBe('request.timed_out');
    expect(traces).toEqual([turn, turn, turn, turn]);
  });

  it('acknowledges no answer whose record could not be stored', async () => {
    const { broker } = brokerWith(async () => {
      throw new Error('no space');
    });
    let settled = 0;
    const { id } = broker.open(PERMISSION, () => {
      settled += 1;
    });
    await expect(broker.answer(id, { optionId: 'no' }, { label: 'alice' })).rejects.toThrow('no space');
    expect(settled).toBe(0);
  });
});
