import { LEAVE_UNANSWERED } from '@reeve/client';
import { EXTENSION } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import type { Ask } from './ask-question.ts';
import { createPermissionDesk, type PermissionPolicy } from './permission-policy.ts';
import type { Terminal } from './terminal.ts';

const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

function desk(policy: PermissionPolicy, interactive: boolean, ask: Ask = async () => undefined) {
  const notes: string[] = [];
  const nothing = (): void => {};
  const terminal: Terminal = {
    text: nothing,
    line: nothing,
    json: nothing,
    raw: nothing,
    note: (text) => notes.push(text),
    interactive,
  };
  const made = createPermissionDesk(policy, terminal, ask);
  const send = (method: string, params: Readonly<Record<string, unknown>>) =>
    made.answer({ method, params, requestId: 'r', signal: new AbortController().signal });
  const answer = (offered: readonly unknown[] = options, method = 'session/request_permission') =>
    send(method, { options: offered, toolCall: { title: 'rm \u001b[31m-rf' } });
  return { made, answer, send, notes };
}

const chose = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

describe('who decides', () => {
  it('allows once rather than always, and refuses once', async () => {
    expect(await desk('allow', false).answer()).toEqual(chose('yes'));
    expect(await desk('deny', false).answer()).toEqual(chose('no'));
    expect(await desk('allow', false).answer(options.slice(0, 1))).toEqual(chose('always'));
    expect(await desk('deny', false).answer([])).toEqual({ outcome: { outcome: 'cancelled' } });
  });

  it('refuses, and remembers it, when it should ask and nobody is there', async () => {
    const { made, answer } = desk('ask', false);
    expect(made.refusedUnasked).toBe(false);
    expect(await answer()).toEqual(chose('no'));
    expect(made.refusedUnasked).toBe(true);
  });

  it('asks until an offered option is chosen, and shows no escape sequence', async () => {
    const typed = ['x', '9', '2'];
    const { answer, notes, made } = desk('ask', true, async () => typed.shift());
    expect(await answer()).toEqual(chose('yes'));
    expect(typed).toEqual([]);
    expect(notes[0]).toBe('permission: rm -rf');
    expect(made.refusedUnasked).toBe(false);
  });

  it('leaves it to others when told to wait, when the person went away, and for what it does not know', async () => {
    expect(await desk('wait', true).answer()).toBe(LEAVE_UNANSWERED);
    expect(await desk('ask', true).answer()).toBe(LEAVE_UNANSWERED);
    expect(await desk('allow', true).answer(options, 'odd/request')).toBe(LEAVE_UNANSWERED);
  });

  const question = { questionId: 'q', prompt: 'Which \u001b[31mcolour?', options: [{ id: 'r', label: 'Red' }] };
  const page = { mode: 'url', message: 'Log in', url: 'https://example.org/?a=1' };

  it('puts questions to the person, also where permissions are given', async () => {
    for (const policy of ['ask', 'allow'] as const) {
      const { send, notes, made } = desk(policy, true, async () => '1');
      expect(await send(EXTENSION.requestQuestion, question)).toEqual({
        outcome: 'answered',
        answers: [{ optionId: 'r' }],
      });
      expect(notes).toEqual(['question: Which colour?', '  1 Red']);
      expect(made.refusedUnasked).toBe(false);
      expect(made.clientCapabilities).toMatchObject({ elicitation: { url: {} } });
    }
  });

  it('says why an answer did not count when a question is asked again', async () => {
    const { send, notes } = desk('ask', true, async () => '1');
    const _meta = { 'sandboxagent.dev': { refused: '"size": expected \u001b[2Ja number' } };
    await send(EXTENSION.requestQuestion, { ...question, _meta });
    expect(notes[0]).toBe('the answer did not count: "size": expected a number');
  });

  it('rejects questions where nobody sits, and says so; with wait they are left to others', async () => {
    const never: Ask = () => Promise.reject(new Error('somebody was asked'));
    for (const policy of ['ask', 'allow', 'deny'] as const) {
      const { send, notes, made } = desk(policy, false, never);
      expect(await send(EXTENSION.requestQuestion, question)).toEqual({
        outcome: 'rejected',
        reason: policy === 'deny' ? 'everything is denied' : 'nobody to ask',
      });
      expect(await send('elicitation/create', page)).toEqual({ action: 'decline' });
      expect(notes[0]).toContain('--permissions wait');
      expect(made.refusedUnasked).toBe(policy === 'ask');
      expect(made.clientCapabilities).not.toHaveProperty('elicitation');
    }
    for (const interactive of [true, false])
      expect(await desk('wait', interactive, never).send(EXTENSION.requestQuestion, question)).toBe(LEAVE_UNANSWERED);
    expect(await desk('deny', true, never).send(EXTENSION.requestQuestion, question)).toMatchObject({
      outcome: 'rejected',
    });
  });

  it('leaves open what the person left, and forms, which it cannot show', async () => {
    expect(await desk('ask', true).send(EXTENSION.requestQuestion, question)).toBe(LEAVE_UNANSWERED);
    expect(await desk('ask', true).send('elicitation/create', page)).toBe(LEAVE_UNANSWERED);
    expect(await desk('ask', true, async () => '1').send('elicitation/create', { mode: 'form' })).toBe(
      LEAVE_UNANSWERED,
    );
    expect(await desk('ask', true, async () => '1').send(EXTENSION.requestQuestion, {})).toBe(LEAVE_UNANSWERED);
  });
});
