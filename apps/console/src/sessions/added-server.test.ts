import { describe, expect, it } from 'vitest';
import { type AddedServerText, readAddedServer } from './added-server.ts';

const TEXT: AddedServerText = { type: 'stdio', name: 'a', command: 'run', args: '', url: '', values: [] };
const read = (part: Partial<AddedServerText>) => readAddedServer({ ...TEXT, ...part }, ['taken']);

describe('a server that somebody adds to a session', () => {
  it('is what was typed, each line an argument as it is', () => {
    expect(read({ name: ' a ', args: '--root\n/a b\n\n"quoted"\n', values: [{ name: 'K', value: ' v ' }] })).toEqual({
      kind: 'server',
      server: {
        name: 'a',
        command: 'run',
        args: ['--root', '/a b', '', '"quoted"'],
        env: [{ name: 'K', value: ' v ' }],
      },
    });
    expect(read({ type: 'sse', url: ' https://x.example/y ', values: [{ name: '', value: 'left out' }] })).toEqual({
      kind: 'server',
      server: { type: 'sse', name: 'a', url: 'https://x.example/y', headers: [] },
    });
  });

  it.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'taken' }, 'different'],
    [{ command: '' }, 'command'],
    [{ values: [{ name: 'A=B', value: 'secret' }] }, 'variable'],
    [{ type: 'http', url: 'x.example' }, 'address'],
    [{ type: 'http', url: 'file:///etc/passwd' }, 'address'],
    [{ type: 'http', url: 'https://x.example', values: [{ name: 'A B', value: 'secret' }] }, 'header'],
  ] as const)('is sent back with what to do for %j, without a value', (part, word) => {
    const result = read(part);
    expect(result).toMatchObject({ kind: 'unfit', problem: expect.stringContaining(word) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });
});
