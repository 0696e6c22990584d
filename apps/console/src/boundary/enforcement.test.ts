import { expect, it } from 'vitest';
import { holdOf, readEnforcement } from './enforcement.ts';

const held = (fs: string, network: string, limits: string) => {
  const read = readEnforcement({ backend: 'bubblewrap', fs, network, limits, gaps: [] });
  return read && holdOf(read);
};

it('tells how a boundary is held by what is held least, and names it where that is not the files', () => {
  expect(held('enforced', 'enforced', 'enforced')).toEqual({ level: 'enforced', text: 'enforced' });
  expect(held('enforced', 'declared', 'enforced')).toEqual({ level: 'partial', text: 'files enforced, network not' });
  expect(held('enforced', 'declared', 'partial')).toEqual({
    level: 'partial',
    text: 'files enforced, network not, limits partly',
  });
  expect(held('partial', 'enforced', 'enforced')).toEqual({ level: 'partial', text: 'files partly enforced' });
  expect(held('declared', 'enforced', 'enforced')).toEqual({ level: 'declared', text: 'not enforced' });
  expect(held('something new', 'enforced', 'enforced')?.level).toBe('declared');
});
