import type { WireEvent } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { tellsWhatItDoes, withEarlierFacts } from './asked-call.ts';

function update(toolCallId: string, more: object): WireEvent {
  const params = { sessionId: 's', update: { sessionUpdate: 'tool_call_update', toolCallId, ...more } };
  return { seq: 1, at: 0, source: 'agent', kind: 'update', message: { method: 'session/update', params } } as never;
}

describe('the call that a permission is asked for', () => {
  it('has what was told of it before, the newest counting, and the request most of all', () => {
    const events = [
      update('t', { rawInput: { command: 'ls' }, title: 'first', kind: 'execute' }),
      update('other', { rawInput: { command: 'rm' } }),
      update('t', { rawInput: { command: 'ls -l' }, title: null }),
    ];
    expect(withEarlierFacts({ toolCallId: 't', title: 'asked' }, events)).toMatchObject({
      rawInput: { command: 'ls -l' },
      kind: 'execute',
      title: 'asked',
    });
  });

  it('is whole where the request tells its input or what it changes', () => {
    expect(tellsWhatItDoes({ rawInput: { command: 'ls' } })).toBe(true);
    expect(tellsWhatItDoes({ content: [{ type: 'diff' }] })).toBe(true);
    expect(tellsWhatItDoes({ title: 'Run', content: [] })).toBe(false);
  });
});
