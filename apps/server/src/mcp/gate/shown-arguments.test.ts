import { describe, expect, it } from 'vitest';
import { MAX_SHOWN_ARGUMENTS, shownArguments } from './shown-arguments.ts';

describe('what a person is shown of a call', () => {
  it('is its arguments, or what a resource or a completion is asked for by', () => {
    expect(JSON.parse(shownArguments({ name: 'edit', arguments: { path: '/a' } }) ?? '')).toEqual({ path: '/a' });
    expect(JSON.parse(shownArguments({ uri: 'file:///a' }) ?? '')).toEqual({ uri: 'file:///a' });
    expect(shownArguments({ name: 'look' })).toBeUndefined();
    expect(shownArguments(null)).toBeUndefined();
  });

  it('is cut where it is longer than anybody reads, and says so', () => {
    const whole = shownArguments({ arguments: 'x'.repeat(MAX_SHOWN_ARGUMENTS - 2) });
    expect(whole).toHaveLength(MAX_SHOWN_ARGUMENTS);
    const cut = shownArguments({ arguments: 'x'.repeat(MAX_SHOWN_ARGUMENTS - 1) }) ?? '';
    expect(cut).toMatch(/x… \(1 more characters are not shown\)$/);
  });
});
