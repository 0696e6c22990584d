import { describe, expect, it } from 'vitest';
import { readMcpServer } from './mcp-server-option.ts';

describe('an MCP server on the command line', () => {
  it.each([
    ['notes=notes-mcp --quiet', { name: 'notes', command: 'notes-mcp', args: ['--quiet'], env: [] }],
    [`n='/opt/my notes' "a b"c $HOME`, { name: 'n', command: '/opt/my notes', args: ['a bc', '$HOME'], env: [] }],
    ['wiki=https://w.example/mcp?a=b', { type: 'http', name: 'wiki', url: 'https://w.example/mcp?a=b', headers: [] }],
    [
      'n={"command": "x", "env": {"KEY": "v"}}',
      { name: 'n', command: 'x', args: [], env: [{ name: 'KEY', value: 'v' }] },
    ],
    [
      'n={"type": "sse", "url": "http://a", "headers": {"X": "y"}}',
      { type: 'sse', name: 'n', url: 'http://a', headers: [{ name: 'X', value: 'y' }] },
    ],
  ])('%s', (text, server) => {
    expect(readMcpServer(text)).toEqual(server);
  });

  it.each(['notes', '=x', 'notes=', 'n={', 'n={"args": []}'])('%j is refused with the form to write', (text) => {
    expect(() => readMcpServer(text)).toThrow(expect.objectContaining({ next: expect.stringContaining('NAME=') }));
  });
});
