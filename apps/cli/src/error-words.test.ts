import { describe, expect, it } from 'vitest';
import { errorWords } from './error-words.ts';

const nextOf = (next: string) => errorWords({ code: 'not_found', data: undefined, next }).next;

describe('what is told of a refusal beside its message', () => {
  it('names commands, not addresses of the API', () => {
    expect(nextOf('GET /v1/servers?session=… lists those that it has.')).toBe(
      '"reeve servers ls" lists those that it has.',
    );
    expect(nextOf('GET /v1/audit lists those that there are.')).toBe('"reeve audit tail" lists those that there are.');
    expect(nextOf('Check the id; session/list shows the sessions that exist.')).toContain('"reeve sessions ls" shows');
    expect(nextOf('GET /v1/unheard tells.')).toBe('GET /v1/unheard tells.');
  });

  it('is of an answer to a review how to see what it asks, without the answers as JSON', () => {
    const offered = ['{"decision": "deny"}'];
    const { data, next } = errorWords({ code: 'not_offered', data: { offered }, next: 'Choose one in "data".' });
    expect(data).toBeUndefined();
    expect(next).toContain('reeve requests show');
  });

  it('is of other answers which were offered', () => {
    const words = errorWords({ code: 'not_offered', data: { offered: ['yes'] }, next: 'Choose.' });
    expect(words).toEqual({ data: '{"offered":["yes"]}', next: 'Choose.' });
  });

  it('is its next step once, wherever it came, and all else of the data', () => {
    const next = 'Mend the root, then try again.';
    const data = { name: 'agent_start_failed', next, agent: 'codex', reason: 'bad-root' };
    expect(errorWords({ code: 'agent_start_failed', data, next })).toEqual({
      data: '{"agent":"codex","reason":"bad-root"}',
      next,
    });
    expect(errorWords({ code: 'session_closed', data: { name: 'session_closed', next }, next })).toEqual({
      data: undefined,
      next,
    });
    const other = { name: 'of the agent', next: 'another step', mend: next };
    expect(errorWords({ code: 'rpc_1', data: other, next: 'Wait.' }).data).toBe(JSON.stringify(other));
    expect(errorWords({ code: 'failed', data: ['next', next], next }).data).toBe(JSON.stringify(['next', next]));
  });

  it('does not repeat what the message lists', () => {
    const data = { summary: 'cwd: …', issues: [{ path: 'cwd' }] };
    expect(errorWords({ code: 'invalid_params', data, next: 'Mend it.' })).toEqual({
      data: undefined,
      next: 'Mend it.',
    });
  });
});
