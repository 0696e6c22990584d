import { LEAVE_UNANSWERED } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { type Ask, createPermissionDesk, type PermissionPolicy } from './permission-policy.ts';
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
  const answer = (offered: readonly unknown[] = options, method = 'session/request_permission') =>
    made.answer({
      method,
      params: { options: offered, toolCall: { title: 'rm \u001b[31m-rf' } },
      requestId: 'r',
      signal: new AbortController().signal,
    });
  return { made, answer, notes };
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
});
