import type { RequestInfo, ReviewParams } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { rootReviews } from './root-reviews.ts';

const root = (path: string, members: object = {}) => ({
  path,
  access: 'rw' as const,
  risks: ['ordinary'],
  highRisk: false,
  inProject: false,
  ...members,
});

function request(id: string, review: ReviewParams['review'], name: string, roots: ReviewParams['roots']): RequestInfo {
  return { id, kind: 'review', params: { review, server: { name }, roots } } as never;
}

const REQUESTS = [
  request('1', 'root', 'files', [root('/a'), root('/b')]),
  request('2', 'root', 'notes', [root('/a', { joinsSession: true })]),
  request('3', 'server', 'new', [root('/a'), root('/c'), root('/d', { given: { policies: ['x'] } })]),
  { id: '4', kind: 'permission', params: null } as never,
];

const find = (path: string, server?: string) => rootReviews(REQUESTS, { path, server });

describe('what asks about a root', () => {
  it('is each review of roots that has it, with what else that asks', () => {
    expect(find('/a')).toMatchObject([
      { id: '1', name: '"files"', others: ['/b'] },
      { id: '2', others: [], root: { joinsSession: true } },
    ]);
    expect(find('/a', 'notes').map(({ id }) => id)).toEqual(['2']);
  });

  it('is never whether a server may start: that is answered for itself, as the error says', () => {
    expect(() => find('/c')).toThrow(/"new" itself waits/);
    expect(() => find('/a', 'new')).toThrow(/"new" itself waits/);
  });

  it('is nothing for a root that the server has anyway, and for one that nobody asks about', () => {
    expect(find('/d')).toEqual([]);
    expect(find('/e')).toEqual([]);
  });
});
