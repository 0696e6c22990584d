import { describe, expect, it } from 'vitest';
import { describeTurns } from './describe-turns.ts';

describe('the turns of a session', () => {
  it('are told by why the last one failed, and by what waits, in order', () => {
    const failure = { at: 0, during: 'turn', message: 'agent "a" exited with code 3' } as const;
    const queuedPrompts = [
      { id: '1', at: 0, by: 'zed 1.2', text: 'first', truncated: true },
      { id: '2', at: 0, by: 'http-api', text: '', attachments: 1 },
    ];
    expect(describeTurns({ failure, queuedPrompts })).toEqual([
      'failed                 in a turn, 1970-01-01T00:00:00Z: agent "a" exited with code 3',
      'queued                 by zed 1.2: first …',
      'queued                 by http-api, with 1 attachment:',
    ]);
    expect(describeTurns({ failure: { ...failure, during: 'start' } })[0]).toContain(' at its start, ');
    expect(describeTurns({})).toEqual([]);
  });

  it('write nothing of an agent or a prompt to the terminal but text', () => {
    const told = describeTurns({
      failure: { at: 0, during: 'turn', message: '\u001b[2Jgone\u202e' },
      queuedPrompts: [{ id: '1', at: 0, by: 'x\n', text: 'a\u001b]0;b\u0007' }],
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(told.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});
