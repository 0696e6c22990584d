import { describe, expect, it } from 'vitest';
import { noteWords } from './note-words.ts';

const said = (type: string, facts: Parameters<typeof noteWords>[0]['facts']) => noteWords({ type, facts });

describe('what a note of a session says', () => {
  it('names the server and how it stands', () => {
    expect(said('mcp_server', { server: 'files', state: 'waiting' })).toEqual({
      tone: 'plain',
      text: 'MCP server “files” waits for approval',
    });
    expect(said('mcp_server', { server: 'files', state: 'failed', lastError: 'exit 3' })).toEqual({
      tone: 'warn',
      text: 'MCP server “files” failed: exit 3',
    });
    const roots = ['/a', '/b', '/c', '/d'].map((path) => ({ path, access: 'ro' }));
    expect(said('root_exposed', { server: 'files', revision: 2, roots }).text).toBe(
      'MCP server “files” is shown /a, /b, /c and 1 more',
    );
    expect(said('root_exposed', { server: 'files', revision: 2, roots: [] }).text).toContain('is shown no directory');
  });

  it('makes an alarm of an alarm: who reached for what, by which tool, how often', () => {
    const facts = { server: 'files', by: 'agent', path: '/etc/shadow', access: 'ro', tool: 'read_file', count: 3 };
    expect(said('alarm', facts)).toEqual({
      tone: 'alarm',
      text: 'Alarm: MCP server “files” was asked by the agent to read /etc/shadow, which it was not given, with the tool “read_file”, 3 times',
    });
  });

  it('tells what became of a boundary, a root and a review, and by whom', () => {
    expect(said('boundary_changed', { by: 'ada', boundary: { revision: 4 } }).text).toBe(
      'The boundary was changed, by ada, revision 4',
    );
    expect(said('root_lost', { path: '/p', how: 'deleted' }).text).toBe('Directory /p was deleted: nobody has it now');
    expect(said('protected_made', { epoch: 2, path: '/p/.git/commondir' })).toEqual({
      tone: 'warn',
      text: '/p/.git/commondir was made, and could not be protected: look at it before you run git or an editor there',
    });
    const outcome = { kind: 'answered', result: { decision: 'deny' } };
    expect(said('review_settled', { by: 'ada', outcome })).toEqual({
      tone: 'warn',
      text: 'A review was denied, by ada',
    });
    expect(said('review_settled', { by: null, outcome: { kind: 'void', reason: 'the session ended' } }).text).toBe(
      'A review ended without an answer: the session ended',
    );
  });

  it('is text whatever stands in it, and the name of a kind that nobody knows', () => {
    expect(said('mcp_server', { server: '\u202e<b>', state: 'new_state' }).text).toBe(
      'MCP server “⟨U+202E⟩<b>” new_state',
    );
    expect(said('something_new', {}).text).toBe('something new');
    expect(said('alarm', {}).text).toContain('MCP server “unknown” asked to read or write unknown');
  });
});
