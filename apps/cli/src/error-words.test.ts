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

  it('does not repeat what the message lists', () => {
    const data = { summary: 'cwd: …', issues: [{ path: 'cwd' }] };
    expect(errorWords({ code: 'invalid_params', data, next: 'Mend it.' })).toEqual({
      data: undefined,
      next: 'Mend it.',
    });
  });
});
