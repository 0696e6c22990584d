import { describe, expect, it } from 'vitest';
import { commandCall, mcpToolCall, type OfferedTool, writeFileCall } from './offered-tool.ts';

const text = { type: 'string' };

function tool(name: string, properties: OfferedTool['schema']['properties'], required: string[] = []): OfferedTool {
  return { name, description: '', schema: { ...(properties && { properties }), required } };
}

describe('a command call', () => {
  it.each([
    ['Bash', tool('Bash', { command: text, description: text }, ['command']), { command: 'ls' }],
    ['exec_command', tool('exec_command', { cmd: text }, ['cmd']), { cmd: 'ls' }],
    ['a list of arguments', tool('shell', { command: { type: 'array' } }), { command: ['/bin/sh', '-c', 'ls'] }],
    [
      'a required description',
      tool('bash', { command: text, description: text }, ['command', 'description']),
      { command: 'ls', description: 'scripted' },
    ],
    [
      'a required time-out, which is long',
      tool('mcp__acp__Bash', { command: text, timeout: { type: 'number' } }, ['command', 'timeout']),
      { command: 'ls', timeout: 60_000 },
    ],
  ])('follows the schema of %s', (_name, offered, expected) => {
    expect(commandCall([tool('Read', { file_path: text }), offered], 'ls')).toEqual({
      name: offered.name,
      arguments: expected,
    });
  });

  it('is undefined when no shell tool is offered', () => {
    expect(commandCall([tool('Read', { file_path: text })], 'ls')).toBeUndefined();
  });
});

describe('a write call', () => {
  it.each([
    ['Write', { file_path: text, content: text }, { file_path: '/w/a', content: 'x' }],
    ['write', { content: text, filePath: text }, { filePath: '/w/a', content: 'x' }],
  ])('follows the schema of %s', (name, properties, expected) => {
    expect(writeFileCall([tool(name, properties)], '/w/a', 'x')).toEqual({ name, arguments: expected });
  });

  it('is a patch command where only a shell is offered', () => {
    const call = writeFileCall([tool('exec_command', { cmd: text })], '/w/a', 'one\ntwo\n');
    expect(call?.arguments.cmd).toBe(
      "apply_patch <<'PATCH'\n*** Begin Patch\n*** Add File: /w/a\n+one\n+two\n*** End Patch\nPATCH\n",
    );
  });
});

it('finds the tool of an MCP server behind the name that the agent gives it', () => {
  const offered = [tool('Read', {}), tool('mcp__notes__read_note', { name: text })];
  expect(mcpToolCall(offered, 'read_note', { name: 'x' })).toEqual({
    name: 'mcp__notes__read_note',
    arguments: { name: 'x' },
  });
  expect(mcpToolCall(offered, 'write_note', {})).toBeUndefined();
});
