import { CallError } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { nextStep } from './next-step.ts';

const error = (code: string, next?: string) =>
  new CallError({ code, message: 'it failed', ...(next === undefined ? {} : { next }) });

describe('the next step after an error, for people', () => {
  it('is what the server advises, but nothing of the HTTP API or of ACP', () => {
    expect(nextStep(error('forbidden', 'Ask an administrator.'))).toBe('Ask an administrator.');
    const gone = 'It may have been deleted, or the address is not whole.';
    expect(nextStep(error('not_found', 'GET /v1/requests lists those that wait for an answer.'))).toBe(gone);
    expect(nextStep(error('not_found', 'send the sessionId that session/new or session/list gave'))).toBe(gone);
    expect(nextStep(error('invalid_params', 'POST /v1/sessions with a body'))).toBeUndefined();
    expect(nextStep(new Error('it failed'))).toBeUndefined();
  });
});
