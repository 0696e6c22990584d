import { expect, it } from 'vitest';
import { parseIsoTime } from './iso-time.ts';

it.each([
  ['2026-11-21T15:00:00Z', Date.UTC(2026, 10, 21, 15)],
  ['2026-11-21T15:00Z', Date.UTC(2026, 10, 21, 15)],
  ['2026-11-21T15:00:00.5+01:00', Date.UTC(2026, 10, 21, 14, 0, 0, 500)],
  ['2026-11-21', Date.UTC(2026, 10, 21)],
])('%s is a time', (text, at) => {
  expect(parseIsoTime(text)).toBe(at);
});

it('is one where no zone is named, by the clock of the machine', () => {
  expect(parseIsoTime('2026-11-21T15:00')).toBe(new Date(2026, 10, 21, 15).getTime());
});

it.each([
  '',
  '45',
  '-1',
  'in 2030',
  '2h 2030',
  '2030',
  'Jan 1 2030',
  '2026-13-01',
  '2026-11-21T25:00Z',
  '2026-11-21 15:00',
])('%j is none, though a program may take it for one', (text) => {
  expect(parseIsoTime(text)).toBeUndefined();
});
