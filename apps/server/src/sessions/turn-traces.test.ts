import type { JsonRpcPeer, Step } from '@reeve/testkit';
import { script } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFact } from '../audit/audit-fact.ts';
import { newTraceId, type TraceId, traceparentOf } from '../audit/trace-id.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { newSession } from './session-calls.rig.ts';
import { connectV2, ended, newV2 } from './version-two.rig.ts';

let rig: SessionRig;
let peer: JsonRpcPeer;
beforeEach(async () => {
  rig = await startRig();
  peer = await rig.connect();
});
afterEach(() => rig[Symbol.asyncDispose]());

const OUTSIDE: Step = { fsRead: '/etc/shadow' };
const ASKS: Step = { permission: { title: 'planted' } };

function prompt(sessionId: string, steps: readonly Step[], trace?: TraceId, by = peer): Promise<unknown> {
  const meta = trace === undefined ? {} : { _meta: { traceparent: traceparentOf(trace) } };
  const text = script(...(steps as [Step, ...Step[]]));
  return by.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...meta });
}

const facts = (kind: AuditFact['kind']): readonly AuditFact[] => rig.facts.filter((fact) => fact.kind === kind);
const traces = (kind: AuditFact['kind']): readonly (string | undefined)[] => facts(kind).map(rig.traceOf);

describe('the trace of a turn', () => {
  it('is that of its own prompt, however long that waited behind another one', async () => {
    const sessionId = await newSession(rig, peer);
    const [first, second] = [newTraceId(), newTraceId()];
    const one = prompt(sessionId, [ASKS], first);
    const two = prompt(sessionId, [ASKS], second);
    await eventually(() => rig.broker.pendingCount).toBe(1);
    expect(traces('request.asked')).toEqual([first]);
    const answer = async (): Promise<void> => {
      const [waiting] = rig.broker.pendingOf(sessionId as never);
      if (waiting) await rig.broker.answer(waiting.id, { reply: 'once' }, { label: 'bob' });
    };
    await answer();
    await one;
    await eventually(() => rig.broker.pendingCount).toBe(1);
    await answer();
    await two;
    expect(traces('request.asked')).toEqual([first, second]);
    expect(traces('request.answered')).toEqual([first, second]);
  });

  it('has the end of the process that crashed in it, and of the one that takes its place its start', async () => {
    const sessionId = await newSession(rig, peer);
    const [crashed, next, closed] = [newTraceId(), newTraceId(), newTraceId()];
    await prompt(sessionId, [{ crash: { code: 3 } }], crashed).catch(() => undefined);
    await eventually(() => traces('agent.exited')).toEqual([crashed]);
    await prompt(sessionId, [{ say: 'again' }], next);
    expect(traces('agent.started').at(-1)).toBe(next);
    await peer.request('session/close', { sessionId, _meta: { traceparent: traceparentOf(closed) } });
    await eventually(() => traces('agent.exited')).toEqual([crashed, closed]);
    expect(traces('session.ended')).toEqual([closed]);
  });

  it('is another one for each prompt that names none', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(sessionId, [{ terminal: { command: 'pwd', cwd: '/etc' } }]);
    await prompt(sessionId, [OUTSIDE]);
    const seen = [...traces('terminal.refused'), ...traces('fs.refused'), ...traces('session.created')];
    expect(new Set(seen).size).toBe(3);
    for (const trace of seen) expect(trace).toMatch(/^[\da-f]{32}$/);
  });

  it('is that of the last prompt in ACP v2, until its work is done', async () => {
    await using both = await startRig({ agents: { fake: ['--v2'] } });
    const two = await connectV2(both, { name: 'two' });
    const sessionId = await newV2(both, two);
    const trace = newTraceId();
    await prompt(sessionId, [ASKS], trace, two);
    await eventually(() => both.broker.pendingCount).toBe(1);
    const [waiting] = both.broker.pendingOf(sessionId as never);
    if (waiting) await both.broker.answer(waiting.id, { reply: 'once' }, { label: 'bob' });
    await ended(two, 'end_turn');
    const asked = both.facts.filter(({ kind }) => kind.startsWith('request.'));
    expect(asked.map(({ kind }) => kind)).toEqual(['request.asked', 'request.answered']);
    expect(asked.map(both.traceOf)).toEqual([trace, trace]);
  });
});

it('is one of its own for a session that ends because nobody uses it', async () => {
  await using quiet = await startRig({ limits: { idleAgentMs: 1 } });
  const client = await quiet.connect();
  const trace = newTraceId();
  const meta = { traceparent: traceparentOf(trace) };
  await client.request('session/new', { cwd: quiet.cwd, mcpServers: [], _meta: meta });
  client.close();
  const of = (kind: AuditFact['kind']) => quiet.traceOf(quiet.facts.find((fact) => fact.kind === kind));
  await eventually(() => of('session.ended')).toBeDefined();
  await eventually(() => of('agent.exited')).toBeDefined();
  expect(of('session.created')).toBe(trace);
  expect(of('session.ended')).not.toBe(trace);
  expect(of('agent.exited')).toBe(of('session.ended'));
});
