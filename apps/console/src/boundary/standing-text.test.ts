import { expect, it } from 'vitest';
import { standingText } from './standing-text.ts';

it('says in plain words how a root stands with a server', () => {
  const text = (
    state: Parameters<typeof standingText>[0]['state'],
    access: 'rw' | 'ro' | 'none',
    ...policies: string[]
  ) => standingText({ state, access, policies });
  expect(text('undecided', 'none', 'ask')).toBe('a person is asked (policy: ask)');
  expect(text('undecided', 'ro', 'ask')).toBe('a person is asked about writing (policy: ask)');
  expect(text('undecided', 'none')).toBe('not decided yet');
  expect(text('denied', 'none', 'no-homes', 'no-keys')).toBe('denied (policies: no-homes, no-keys)');
  expect(text('lost', 'none')).toBe('not what was approved any more');
  expect(text('granted', 'rw', 'project-to-confined-servers')).toBe('policy: project-to-confined-servers');
  expect(text('granted', 'rw')).toBe('');
});

it('says which part of a root a server really has, where its command line names no more', () => {
  const part = { access: 'rw', only: ['/a/b', '/a/c'] } as const;
  expect(standingText({ ...part, state: 'granted', policies: ['project'] })).toBe(
    'policy: project; of it only /a/b, /a/c, since its command line names no more',
  );
  expect(standingText({ ...part, state: 'granted', policies: [] })).toMatch(/^of it only/);
});
