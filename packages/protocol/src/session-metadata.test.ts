import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json-rpc.ts';
import { patchMetadata, readMetadata } from './session-metadata.ts';

const MAX = 4096;

function issues(check: ReturnType<typeof readMetadata>): readonly { path: string; received: string; fix: string }[] {
  return check.kind === 'invalid' ? check.issues : [];
}

describe('the metadata of session/new', () => {
  it('keeps what it knows and what it does not know, and leaves out what is no metadata', () => {
    const metadata = { title: 'Bugfix', skills: ['repo:a'], model: 'm', boundary: { roots: [] }, mine: { a: [1] } };
    const ours = { ...metadata, agent: 'x', requestedSessionId: 'y', state: 'idle', applied: {}, after: 3 };
    expect(readMetadata(ours, MAX)).toEqual({ kind: 'ok', metadata });
  });

  it.each<[string, object, string]>([
    ['a title that is no text', { title: 5 }, 'title'],
    ['an empty title', { title: '' }, 'title'],
    ['a title of two lines', { title: 'a\nb' }, 'title'],
    ['a title beyond its length', { title: 'a'.repeat(1001) }, 'title'],
    ['a model that is an object', { model: {} }, 'model'],
    ['a variant null', { variant: null }, 'variant'],
    ['a mode that is a list', { agentMode: ['a'] }, 'agentMode'],
    ['a permission mode that is true', { permissionMode: true }, 'permissionMode'],
    ['skills that are a text', { skills: 'a' }, 'skills'],
    ['a skill that is no text', { skills: ['a', 5] }, 'skills[1]'],
    ['servers to go without that are no list', { mcpServersOff: { a: true } }, 'mcpServersOff'],
    ['too many skills', { skills: Array.from({ length: 257 }, () => 'a') }, 'skills'],
  ])('refuses %s, and says where, what came and how to mend it', (_what, ours, where) => {
    const [issue] = issues(readMetadata(ours as never, 64 * 1024));
    expect(issue?.path).toBe(`_meta["sandboxagent.dev"].${where}`);
    expect(issue?.received).not.toBe('');
    expect(issue?.fix).not.toBe('');
  });

  it('takes just the limit of bytes, counted in UTF-8, and not one more', () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ note: 'ö' })).length;
    expect(readMetadata({ note: 'ö' }, bytes).kind).toBe('ok');
    expect(issues(readMetadata({ note: 'ö' }, bytes - 1))[0]).toMatchObject({ received: `${bytes} bytes` });
  });

  it('says beyond the limit which setting it is and what it would have to be, and of many roots that they could be fewer', () => {
    const fixOf = (ours: JsonObject) => issues(readMetadata(ours, 20))[0]?.fix;
    const note = { note: 'x'.repeat(100) };
    const bytes = (ours: JsonObject) => JSON.stringify(ours).length;
    const setting = (ours: JsonObject) => `set limits.maxMetadataBytes of the server to ${bytes(ours)} or more`;
    expect(fixOf(note)).toBe(`keep large data elsewhere and name it here, or ${setting(note)}`);
    const boundary = { roots: Array.from({ length: 101 }, (_, at) => ({ path: `/a/${at}`, access: 'rw' })) };
    expect(fixOf({ boundary })).toBe(`name a common parent of the 101 roots, or ${setting({ boundary })}`);
    expect(readMetadata({ boundary }, bytes({ boundary })).kind).toBe('ok');
  });

  it('refuses what is nested deeper than anybody needs, however deep', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 31; level += 1) deep = { deep };
    expect(readMetadata({ deep }, MAX).kind).toBe('ok');
    expect(readMetadata({ deep: { deep } }, MAX).kind).toBe('invalid');
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(readMetadata({ deep }, MAX).kind).toBe('invalid');
    expect(patchMetadata({}, { deep }, MAX).kind).toBe('invalid');
  });
});

describe('a patch of metadata', () => {
  it('merges members and removes those that are null (RFC 7396, appendix A)', () => {
    const cases: [object, object, object][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [before, patch, metadata] of cases) {
      expect(patchMetadata(before as never, patch, MAX)).toEqual({ kind: 'ok', metadata });
    }
  });

  it('makes the same of what was made before', () => {
    const tree = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(tree, tree, (before, patch) => {
        const once = patchMetadata(before as never, patch, 1_000_000);
        if (once.kind === 'invalid') return;
        expect(patchMetadata(once.metadata, patch, 1_000_000)).toEqual(once);
        for (const [name, value] of Object.entries(patch))
          expect(Object.hasOwn(once.metadata, name)).toBe(value !== null);
      }),
    );
  });

  it('treats __proto__ as any other name', () => {
    const patch = JSON.parse('{"__proto__": {"polluted": true}}');
    const check = patchMetadata({}, patch, MAX);
    expect(JSON.stringify(check)).toContain('"__proto__":{"polluted":true}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('changes nothing of what the server says itself, and nothing that is settled at creation', () => {
    for (const name of [
      'agent',
      'state',
      'requestedSessionId',
      'applied',
      'failure',
      'queuedPrompts',
      'agentVersionRequested',
      'boundary',
      'mcpServersOff',
    ]) {
      for (const value of ['x', null]) {
        expect(issues(patchMetadata({}, { [name]: value }, MAX))[0]).toMatchObject({ path: `metadata.${name}` });
      }
    }
  });

  it('is an object, and what it makes is checked as a whole', () => {
    for (const patch of [null, undefined, [], 'a', 5]) expect(patchMetadata({}, patch, MAX).kind).toBe('invalid');
    expect(issues(patchMetadata({}, { title: 7 }, MAX))[0]).toMatchObject({ path: 'metadata.title' });
    expect(patchMetadata({ a: 'x'.repeat(30) }, { b: 'x'.repeat(30) }, 60).kind).toBe('invalid');
    expect(patchMetadata({ title: 'a' }, { title: null }, MAX)).toEqual({ kind: 'ok', metadata: {} });
  });
});
