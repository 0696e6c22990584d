import { expect, it } from 'vitest';
import { reachText, rootNotes, wishText } from './review-words.ts';

const ROOT = { path: '/p', access: 'rw', risks: ['ordinary'], highRisk: false, inProject: true } as const;

it('says of a root what comes with a yes to it, and what comes without one', () => {
  expect(rootNotes(ROOT)).toEqual([]);
  expect(rootNotes({ ...ROOT, given: { policies: ['a', 'b'] }, only: ['/p/x', '/p/y'] })).toEqual([
    'given without asking, by a, b',
    'of it only /p/x, /p/y, since its command line names no more',
  ]);
  expect(rootNotes({ ...ROOT, given: { policies: [] } })).toEqual(['given without asking, by an earlier decision']);
  expect(rootNotes({ ...ROOT, joinsSession: true })).toEqual([expect.stringContaining('its agent get it too')]);
});

it('says how far a wish reaches and until when', () => {
  expect(wishText({ scope: 'project', expiresAt: 0 })).toBe(
    'every session of this project, until 1970-01-01T00:00:00.000Z',
  );
  expect(wishText({ expiresAt: 1000 })).toBe('until 1970-01-01T00:00:01.000Z');
  expect(wishText({ scope: 'always' })).toBe('every session of this server');
});

it('says what a server may reach', () => {
  expect(
    ['none', 'full', { allow: [] }, { allow: ['a.example:443'] }].map((rule) => reachText(rule as 'none')),
  ).toEqual(['nothing', expect.stringContaining('everything'), 'nothing', 'only a.example:443']);
});
