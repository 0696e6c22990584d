import { type AgentRequest, LEAVE_UNANSWERED } from '@reeve/client';
import { EXTENSION } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { answerEverything } from './answer-everything.ts';
import type { DemoEvent } from './demo-event.ts';

function asked(method: string, params: object): { readonly reply: unknown; readonly told: readonly DemoEvent[] } {
  const told: DemoEvent[] = [];
  const request: AgentRequest = { method, params: { ...params }, requestId: 'r', signal: new AbortController().signal };
  return { reply: answerEverything((event) => void told.push(event))(request), told };
}

describe('the answers of --yes', () => {
  it('allow once, though for ever was offered first', () => {
    const options = [
      { optionId: 'a', name: 'Always', kind: 'allow_always' },
      { optionId: 'o', name: 'Once', kind: 'allow_once' },
    ];
    const { reply, told } = asked('session/request_permission', { toolCall: { title: 'Edit' }, options });
    expect(reply).toEqual({ outcome: { outcome: 'selected', optionId: 'o' } });
    expect(told).toEqual([{ kind: 'answered', title: undefined, by: '--yes', answer: 'Once' }]);
  });

  it('take the first choice of a question, or say yes where a text is wanted', () => {
    const question = { questionId: 'q', prompt: 'Which?', options: [{ id: 'x', label: 'X' }] };
    expect(asked(EXTENSION.requestQuestion, question).reply).toEqual({
      outcome: 'answered',
      answers: [{ optionId: 'x' }],
    });
    expect(asked(EXTENSION.requestQuestion, { questionId: 'q', prompt: 'Why?' }).reply).toEqual({
      outcome: 'answered',
      answers: [{ text: 'yes' }],
    });
  });

  it('leave to others what can only be refused, and what is unknown', () => {
    const options = [{ optionId: 'n', name: 'No', kind: 'reject_once' }];
    expect(asked('session/request_permission', { options }).reply).toBe(LEAVE_UNANSWERED);
    expect(asked('fs/read_text_file', {}).reply).toBe(LEAVE_UNANSWERED);
  });
});
