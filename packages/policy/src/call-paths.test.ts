import { describe, expect, it } from 'vitest';
import { callPaths, MAX_CALL_PATHS } from './call-paths.ts';

function pathsOf(args: unknown): readonly string[] {
  const found = callPaths('tools/call', { name: 'tool', arguments: args });
  return found.kind === 'paths' ? found.paths.map(({ path, evidence }) => `${evidence} ${path}`) : [found.kind];
}

describe('the paths of a call', () => {
  it.each([
    [{ path: '/a/b' }, ['named /a/b']],
    [{ path: 'src/x' }, ['named src/x']],
    [{ paths: ['/a', 'b'] }, ['named b', 'named /a'].reverse()],
    [{ source: '/a', destination: 'b' }, ['shape b', 'shape /a']],
    [{ path: '/etc/passwd\n' }, ['named /etc/passwd\n', 'named /etc/passwd']],
    [{ repo_path: '/r', repoPath: '/s', outputDir: '/o' }, ['named /o', 'named /s', 'named /r']],
    [{ edits: [{ target: { filePath: '/deep' } }] }, ['named /deep']],
    [{ path: ' /a ' }, ['named  /a ', 'named /a']],
  ])('stand in arguments that are for paths: %j', (args, expected) => {
    expect(new Set(pathsOf(args))).toEqual(new Set(expected));
  });

  it.each([
    [{ x: '/etc/passwd' }, ['shape /etc/passwd']],
    [{ x: '../../etc' }, ['shape ../../etc']],
    [{ x: 'a/../../b' }, ['shape a/../../b']],
    [{ x: '~/.ssh' }, ['shape ~/.ssh']],
    [{ x: '/home/me/My Documents' }, ['spaced /home/me/My Documents']],
    [{ list: [['--file=/etc/shadow']] }, ['shape /etc/shadow']],
    [{ '/etc/passwd': 1 }, ['shape /etc/passwd']],
    [{ x: '%2e%2e%2fetc' }, ['shape ../etc']],
    [{ x: '%252e%252e/etc' }, ['shape ../etc']],
    [{ x: '..\\..\\etc' }, ['shape ../../etc']],
  ])('are the whole text of any other argument: %j', (args, expected) => {
    expect(pathsOf(args)).toEqual(expected);
  });

  it.each([
    'read and/or write the file, e.g. src/a',
    'Version 1.0..2.0, HEAD..main, see ../README for more',
    'wait... and/or ... go',
    'https://example.org/etc/passwd',
    '/',
    '//',
    'the file:// scheme',
    'first line\n/etc/passwd\n../..',
    '',
  ])('are none in prose: %j', (text) => {
    expect(pathsOf({ message: text })).toEqual([]);
  });

  it('are none in what is written into a file', () => {
    expect(pathsOf({ content: '/etc/passwd', edits: [{ oldText: '../x', newText: '#!/bin/sh' }] })).toEqual([]);
  });

  it('are file URIs, also within a sentence', () => {
    expect(pathsOf({ uri: 'file:///a/b%20c' })).toEqual(['named /a/b c']);
    expect(pathsOf({ message: 'Read file:///etc/passwd, please.' })).toEqual(['shape /etc/passwd']);
    expect(pathsOf({ message: 'Read file://host/etc/passwd?x' })).toEqual(['shape /etc/passwd?x', 'shape /etc/passwd']);
  });

  it.each([
    ['file://localhost/etc', 'host'],
    ['file://user@/etc', 'user_information'],
    ['file:///etc?x', 'query'],
    ['file:///a/../etc', 'dot_segment'],
    ['file:///a/%2e%2e/etc', 'dot_segment'],
    ['file:///a%2fetc', 'encoded_separator'],
    ['file:///a%00', 'encoded_separator'],
    ['file:/etc', 'not_file_uri'],
  ])('are no URIs that can be read in two ways: %s', (uri, reason) => {
    expect(callPaths('resources/read', { uri })).toMatchObject({ kind: 'malformed', at: 'uri', reason });
  });

  it('hold no NUL', () => {
    expect(callPaths('tools/call', { arguments: { path: '/a\0b' } })).toMatchObject({ kind: 'malformed', at: 'path' });
    expect(callPaths('tools/call', { arguments: { x: '/a\0b' } })).toMatchObject({ kind: 'malformed', at: 'x' });
    expect(pathsOf({ x: 'a\0b' })).toEqual([]);
  });

  it('are looked for where each method has them, and nowhere else', () => {
    const of = (method: string, params: unknown) => {
      const found = callPaths(method, params);
      return found.kind === 'paths' ? found.paths.map(({ path, at }) => `${at} ${path}`) : found.kind;
    };
    expect(of('resources/read', { uri: 'test://static/etc/passwd' })).toEqual([]);
    expect(of('resources/subscribe', { uri: 'file:///x' })).toEqual(['uri /x']);
    expect(of('prompts/get', { name: '/etc', arguments: { file: '/p' } })).toEqual(['file /p']);
    expect(of('completion/complete', { argument: { name: 'path', value: '/c' } })).toEqual(['path /c']);
    expect(of('tools/call', { name: '/etc', _meta: { x: '/etc' }, arguments: { a: [{ b: '/z' }] } })).toEqual([
      'a[0].b /z',
    ]);
    expect(of('tools/call', undefined)).toEqual([]);
  });

  it('are found in texts that are too long for one until dots and slashes are taken away', () => {
    const long = `/.${'/.'.repeat(20_000)}`;
    expect(pathsOf({ path: `${long}/etc/passwd` })).toEqual(['named /etc/passwd']);
    expect(pathsOf({ x: `/${'/'.repeat(20_000)}etc/passwd` })).toEqual(['shape /etc/passwd']);
    expect(pathsOf({ x: `${'a/../'.repeat(20_000)}../etc` })).toEqual(['malformed']);
    expect(pathsOf({ data: `/9j/4AAQ${'Sk//Zm9v'.repeat(5000)}` })).toEqual([]);
    expect(pathsOf({ path: 'x'.repeat(100_000) })).toEqual([]);
  });

  it('are looked for in time, however a text is encoded', () => {
    const began = performance.now();
    pathsOf({ path: `/%${'25'.repeat(2_000_000)}2e`, x: `/%${'25'.repeat(6_000)}2e`, y: '../'.repeat(1_000_000) });
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('are not looked for beyond a bound', () => {
    expect(pathsOf({ paths: Array.from({ length: MAX_CALL_PATHS }, (_, at) => `/${at}`) })).toHaveLength(
      MAX_CALL_PATHS,
    );
    expect(pathsOf({ paths: Array.from({ length: MAX_CALL_PATHS + 1 }, (_, at) => `/${at}`) })).toEqual(['too_many']);
  });

  it('are found however deep a value is nested, and told with a short place', () => {
    let value: unknown = '/deep';
    for (let depth = 0; depth < 20_000; depth++) value = [value];
    const found = callPaths('tools/call', { arguments: { x: value } });
    expect(found).toMatchObject({ kind: 'paths', paths: [{ path: '/deep' }] });
    if (found.kind === 'paths') expect(found.paths[0]?.at.length).toBeLessThanOrEqual(80);
  });

  it('are found or passed over without a throw for whatever comes', () => {
    let seed = 20_261_121;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const pieces = [
      '/',
      '..',
      '.',
      '\\',
      '%2e',
      '%2f',
      '%25',
      '%00',
      '\0',
      'file:',
      '~',
      ' ',
      'a',
      '\n',
      '\ud800',
      '://',
      '?',
      '=',
    ];
    const text = (): string => Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
    for (let round = 0; round < 20_000; round++) {
      const name = ['path', 'x', 'content'][random(3)] ?? 'x';
      const said = text();
      const found = callPaths('tools/call', { arguments: { [name]: said } });
      if (found.kind !== 'paths') continue;
      for (const { path } of found.paths) expect(path).not.toContain('\0');
      // A traversal or an absolute path of one line is never overlooked where paths are expected.
      if (name === 'path' && /^(?:\/|\.\.\/)/.test(said) && !/\n/.test(said))
        expect(found.paths.map(({ path }) => path)).toContain(said);
    }
  });
});
