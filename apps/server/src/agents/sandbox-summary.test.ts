import { describe, expect, it } from 'vitest';
import { summarizeSandbox } from './sandbox-summary.ts';

const broken = {
  backend: 'none',
  usable: false,
  contains: false,
  reason: 'bubblewrap is not installed',
  nextStep: 'Install it.',
} as const;

describe('what a server says of its sandbox at its start', () => {
  it('is what holds agents, where something does', () => {
    const summary = summarizeSandbox({ backend: 'bubblewrap', usable: true, contains: true }, 'enforced');
    expect(summary).toEqual({ enforced: true, text: expect.stringMatching(/^enforced by bubblewrap/) });
  });

  it('is that agents are not started, why, and both ways out, where nothing does', () => {
    const { enforced, text } = summarizeSandbox(broken, 'enforced');
    expect(enforced).toBe(false);
    expect(text).toBe(
      'agents are not started: no sandbox works here (bubblewrap is not installed). Install it. Or let them run unconfined: set "sandbox.require" to "declared".',
    );
  });

  it('is that agents run unconfined, where that was chosen', () => {
    expect(summarizeSandbox(broken, 'declared').text).toMatch(
      /^agents run unconfined: declared, not enforced: no sandbox/,
    );
    expect(summarizeSandbox(undefined, 'declared').text).toContain('"sandbox.backend" is "none"');
  });
});
