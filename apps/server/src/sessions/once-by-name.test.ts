import type { McpServerReport } from '@reeve/protocol';
import { expect, it } from 'vitest';
import { onceByName } from './once-by-name.ts';

const governed: McpServerReport = { name: 'files', origin: 'client', governed: true, state: 'running' };
const own = (name: string, from: string): McpServerReport => ({
  name,
  origin: 'agent',
  governed: false,
  state: 'unknown',
  from,
});

it('tells a server once that files name too, with those files', () => {
  const reports = [
    governed,
    own('files', '/p/.mcp.json'),
    own('other', '/p/.mcp.json'),
    own('files', '/p/opencode.json'),
  ];
  expect(onceByName(reports)).toEqual([
    { ...governed, alsoIn: ['/p/.mcp.json', '/p/opencode.json'] },
    own('other', '/p/.mcp.json'),
  ]);
});

it('tells one that only files name by the first of them, and one of a single source as it is', () => {
  const [first, second] = [own('x', '/p/.mcp.json'), own('x', '/p/.cursor/mcp.json')];
  expect(onceByName([first, second, first])).toEqual([{ ...first, alsoIn: ['/p/.cursor/mcp.json'] }]);
  expect(onceByName([governed, first])).toEqual([governed, first]);
  expect(onceByName([first, first])).toEqual([first]);
});
