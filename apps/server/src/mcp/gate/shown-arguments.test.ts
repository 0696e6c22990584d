import { describe, expect, it } from 'vitest';
import { MAX_SHOWN_ARGUMENTS, shownArguments } from './shown-arguments.ts';

describe('what a person is shown of a call', () => {
  it('is its arguments, or what a resource or a completion is asked for by', () => {
    expect(JSON.parse(shownArguments({ name: 'edit', arguments: { path: '/a' } }) ?? '')).toEqual({ path: '/a' });
    expect(JSON.parse(shownArguments({ uri: 'file:///a' }) ?? '')).toEqual({ uri: 'file:///a' });
    expect(shownArguments({ name: 'look' })).toBeUndefined();
    expect(shownArguments(null)).toBeUndefined();
  });

  it('is what else goes to the server with them too, but not what each try has of its own', () => {
    const shown = (params: unknown): unknown => JSON.parse(shownArguments(params) ?? 'null');
    expect(shown({ name: 'edit', arguments: { a: 1 }, task: { ttl: 1 }, inputResponses: { k: {} } })).toEqual({
      arguments: { a: 1 },
      task: { ttl: 1 },
      inputResponses: { k: {} },
    });
    const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 1 };
    expect(shown({ name: 'edit', arguments: { a: 1 }, requestState: 's', _meta: envelope })).toEqual({ a: 1 });
    expect(shown({ name: 'edit', arguments: { a: 1 }, _meta: { ...envelope, 'a/b': 'c' } })).toEqual({
      arguments: { a: 1 },
      _meta: { 'a/b': 'c' },
    });
    expect(shown(['a'])).toEqual(['a']);
  });

  it('is cut where it is longer than anybody reads, and says so', () => {
    const whole = shownArguments({ arguments: 'x'.repeat(MAX_SHOWN_ARGUMENTS - 2) });
    expect(whole).toHaveLength(MAX_SHOWN_ARGUMENTS);
    const cut = shownArguments({ arguments: 'x'.repeat(MAX_SHOWN_ARGUMENTS - 1) }) ?? '';
    expect(cut).toMatch(/x… \(1 more characters are not shown\)$/);
  });
});
