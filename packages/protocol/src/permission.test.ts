import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPermissionResult, type PermissionKind, permissionResult } from './permission.ts';

const KINDS: PermissionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
const offer = (...kinds: string[]) => kinds.map((kind, index) => ({ optionId: `${kind}#${index}`, name: kind, kind }));
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });

describe('permissionResult', () => {
  it.each<['once' | 'always' | 'reject', string[], string | undefined, boolean]>([
    ['once', KINDS, 'allow_once#0', false],
    ['always', KINDS, 'allow_always#1', false],
    ['reject', KINDS, 'reject_once#2', false],
    ['always', ['reject_once', 'allow_once'], 'allow_once#1', true],
    ['reject', ['allow_once', 'reject_always'], 'reject_always#1', true],
    ['once', ['allow_always', 'reject_once'], undefined, false],
    ['once', ['reject_once'], undefined, false],
    ['always', ['reject_always'], undefined, false],
    ['reject', ['allow_once', 'allow_always'], undefined, false],
    ['once', ['allow_once', 'allow_once'], 'allow_once#0', false],
    ['once', ['allow_forever'], undefined, false],
  ])('answers %s to %j with %s (nearest: %s)', (reply, kinds, optionId, nearest) => {
    const verdict = permissionResult(offer(...kinds), { reply });
    if (optionId === undefined) {
      expect(verdict).toEqual({ kind: 'not_offered', offered: offer(...kinds).map((option) => option.optionId) });
    } else {
      const chosen = { optionId, kind: optionId.split('#')[0] };
      expect(verdict).toEqual({ kind: 'ok', result: selected(optionId), chosen, nearest });
    }
  });

  it('never grants more than was asked, whatever is offered', () => {
    const kind = fc.constantFrom(...KINDS, 'other', undefined);
    const options = fc.array(
      fc.record({ optionId: fc.constantFrom('a', 'b', 'c', 'd', 'e'), name: fc.string(), kind }),
    );
    fc.assert(
      fc.property(options, fc.constantFrom('once' as const, 'always' as const, 'reject' as const), (list, reply) => {
        const verdict = permissionResult(list, { reply });
        if (verdict.kind !== 'ok' || verdict.result.outcome.outcome !== 'selected') return;
        const { optionId } = verdict.result.outcome;
        const allowed = {
          once: ['allow_once'],
          always: ['allow_once', 'allow_always'],
          reject: ['reject_once', 'reject_always'],
        };
        for (const option of list.filter((candidate) => candidate.optionId === optionId)) {
          expect(allowed[reply]).toContain(option.kind);
        }
      }),
    );
  });

  it('takes an option by its id, of a kind that nobody knows too', () => {
    const options = offer('allow_once', 'later');
    const chosen = { optionId: 'later#1', kind: 'later' };
    expect(permissionResult(options, { optionId: 'later#1' })).toEqual({
      kind: 'ok',
      result: selected('later#1'),
      chosen,
      nearest: false,
    });
    expect(permissionResult(options, { optionId: 'later' })).toMatchObject({ kind: 'not_offered' });
  });

  it('takes a raw outcome', () => {
    const cancelled = { outcome: { outcome: 'cancelled' } };
    expect(permissionResult(offer('allow_once'), cancelled)).toEqual({ kind: 'ok', result: cancelled, nearest: false });
    expect(permissionResult(offer('allow_once'), selected('allow_once#0'))).toMatchObject({
      result: selected('allow_once#0'),
    });
    expect(permissionResult(offer('allow_once'), selected('x'))).toMatchObject({ kind: 'not_offered' });
  });

  it('passes over malformed options', () => {
    const options = [
      null,
      'allow_once',
      {},
      { optionId: 5, kind: 'allow_once' },
      { optionId: 'ok', kind: 7 },
      ...offer('allow_once'),
    ];
    expect(permissionResult(options, { reply: 'once' })).toMatchObject({ chosen: { optionId: 'allow_once#0' } });
    expect(permissionResult(options, { optionId: 'ok' })).toMatchObject({
      chosen: { optionId: 'ok', kind: undefined },
    });
    for (const none of [undefined, null, {}, 'x']) {
      expect(permissionResult(none, { reply: 'once' })).toEqual({ kind: 'not_offered', offered: [] });
    }
  });

  it('refuses a reply that does not exist', () => {
    for (const reply of ['', 'allow', 'constructor', '__proto__', 3]) {
      expect(permissionResult(offer(...KINDS), { reply } as never)).toMatchObject({ kind: 'not_offered' });
    }
  });
});

describe('checkPermissionResult', () => {
  it('accepts what was offered, and cancelled, as it came', () => {
    const result = { ...selected('allow_once#0'), _meta: { a: 1 } };
    expect(checkPermissionResult(offer('allow_once'), result)).toHaveProperty('result', result);
    expect(checkPermissionResult(offer('allow_once'), result)).toMatchObject({
      kind: 'ok',
      result: selected('allow_once#0'),
    });
    expect(checkPermissionResult([], { outcome: { outcome: 'cancelled' } })).toMatchObject({ kind: 'ok' });
  });

  it.each([
    undefined,
    null,
    {},
    [],
    'cancelled',
    { outcome: 'cancelled' },
    { outcome: null },
    { outcome: { outcome: 'selected' } },
    selected('other'),
    { outcome: { outcome: 'approved', optionId: 'allow_once#0' } },
    { outcome: { optionId: 'allow_once#0' } },
  ])('refuses %j', (result) => {
    expect(checkPermissionResult(offer('allow_once'), result)).toEqual({
      kind: 'not_offered',
      offered: ['allow_once#0'],
    });
  });
});
