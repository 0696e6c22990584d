import { resolve } from 'node:path';
import { CallError } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { describeChange, orNoRoot, readExpiry, readRoot, readWholeRoot } from './root-words.ts';

describe('a root as it is typed', () => {
  it('is a path, absolute or from here, with its access behind it', () => {
    expect(readRoot('/data:ro')).toEqual({ path: '/data', access: 'ro' });
    expect(readRoot('docs:rw')).toEqual({ path: resolve('docs'), access: 'rw' });
    expect(readRoot('/data')).toEqual({ path: '/data', access: undefined });
    expect(readRoot('/a:b')).toEqual({ path: '/a:b', access: undefined });
    expect(readWholeRoot('/data')).toEqual({ path: '/data', access: 'ro' });
  });

  it.each(['vol:rx', 'vol:r', 'vol:RO', 'vol:write'])('%s is no path but an access that there is not', (text) => {
    expect(() => readRoot(text)).toThrow(/is no access: it is ro .* rw/);
    expect(readRoot(`${text}:ro`)).toEqual({ path: resolve(text), access: 'ro' });
  });

  it('that cannot be one is told with what it is, once', async () => {
    const data = { issues: [{ path: 'roots[0].path', received: 'nothing there' }] };
    const failed = Promise.reject(new CallError({ code: 'invalid_params', message: 'long', next: 'Create it.', data }));
    await expect(orNoRoot('/gone', failed)).rejects.toMatchObject({
      message: '/gone cannot be a root: nothing there',
      next: 'Create it.',
    });
    const other = new CallError({ code: 'forbidden', message: 'no' });
    await expect(orNoRoot('/gone', Promise.reject(other))).rejects.toBe(other);
  });
});

describe('how long an answer counts', () => {
  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['1970-01-02T00:00:00Z', 86_400_000 - 1000],
  ])('%s is so many milliseconds from now', (text, later) => {
    expect(readExpiry(text, 1000)).toBe(1000 + later);
  });

  it.each(['', 'soon', '2 hours', '0h', '45', 'in 2030', '1970-01-01T00:00:00Z'])(
    '%j is no time to come, and it is said what is',
    (text) => {
      expect(() => readExpiry(text, 1000)).toThrow(/no time to come/);
    },
  );
});

it('tells a change by its roots and what became of it at each server', () => {
  const lines = describeChange({
    kind: 'changed',
    revision: 4,
    roots: [{ path: '/a\u001b[2J', access: 'ro' }],
    servers: [
      { server: 'files', result: 'gone' },
      { server: 'notes', result: 'failed', detail: 'it did not start' },
    ],
  });
  expect(lines).toEqual([
    'boundary, revision 4: /a (ro)',
    'server "files" is in the narrower sandbox: what was taken is gone, as was looked up from inside',
    'server "notes" could not be brought into it and does not run (it did not start)',
  ]);
  expect(describeChange({ kind: 'unchanged', revision: 4, roots: [], servers: [] })).toEqual([
    'nothing changed: no roots',
  ]);
});
