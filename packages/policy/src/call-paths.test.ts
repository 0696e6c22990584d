import { describe, expect, it } from 'vitest';
import { callPaths, MAX_CALL_PATHS, MAX_CALL_SEGMENTS, MAX_CALL_VALUES } from './call-paths.ts';

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
    [{ path: 'o%75t/file' }, ['named o%75t/file', 'named out/file']],
    [{ path: '/caf%C3%A9' }, ['named /caf%C3%A9', 'named /café']],
    [{ path: '\\etc\\passwd' }, ['named \\etc\\passwd', 'named /etc/passwd']],
    [{ path: '\\\\host\\share' }, ['named \\\\host\\share', 'named //host/share']],
    [{ path: '$HOME/.ssh' }, ['named $HOME/.ssh', 'named ~/.ssh']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
    [{ file: '${HOME}' }, ['named ${HOME}', 'named ~']],
    [{ path: '~root/.ssh' }, ['named ~root/.ssh', 'spaced /root/.ssh']],
    [{ path: '~jo/x' }, ['named ~jo/x', 'spaced /home/jo/x']],
    [{ paths: 'a\n/etc/passwd\n../b' }, ['shape /etc/passwd', 'shape ../b']],
    [{ path: '/od\nd' }, ['spaced /od\nd', 'shape /od']],
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
    [
      { list: ['-C/etc', '-C~/x', '@/etc/shadow', '-a', '@scope/name'] },
      ['shape /etc/shadow', 'shape ~/x', 'shape /etc'],
    ],
    [{ x: '/srv/a,/etc/passwd' }, ['shape /srv/a,/etc/passwd', 'shape /srv/a', 'shape /etc/passwd']],
    [{ x: '/etc:/mnt:ro' }, ['shape /etc:/mnt:ro', 'shape /etc', 'shape /mnt']],
    [{ x: './a;../b' }, ['shape ../b']],
    [{ x: '/srv/a  /etc/passwd' }, ['spaced /srv/a  /etc/passwd', 'shape /srv/a', 'shape /etc/passwd']],
    [{ '/etc/passwd': 1 }, ['shape /etc/passwd']],
    [{ x: '%2e%2e%2fetc' }, ['shape ../etc']],
    [{ x: '%252e%252e/etc' }, ['shape ../etc']],
    [{ x: '..\\..\\etc' }, ['shape ../../etc']],
    [{ x: 'a/..\\..\\b' }, ['shape a/../../b']],
    [{ x: '%7e/.ssh' }, ['shape ~/.ssh']],
    [{ x: '%2fetc' }, ['shape /etc']],
    [{ x: '$HOME/.ssh' }, ['shape ~/.ssh']],
    [{ x: '["/etc/passwd"]' }, ['shape /etc/passwd']],
    [{ x: ' {"path": "/etc/passwd", "text": "/no"} ' }, ['shape /etc/passwd']],
    [{ x: '"\\"[\\\\\\"/etc/passwd\\\\\\"]\\""' }, ['shape /etc/passwd']],
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
    '\\bin\\b',
    '~$report.docx',
    'git@host:/srv/git/a.git',
    'see {"a": 1} and [/etc/passwd]',
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
    expect(pathsOf({ message: 'Read file:\\etc\\passwd' })).toContain('shape /etc/passwd');
    // As the URL standard has them.
    expect(pathsOf({ uri: 'FILE:///a' })).toEqual(['named /a']);
    expect(pathsOf({ uri: '\u0001 fi\tle:///a\n/b' })).toEqual(['named /a/b']);
    expect(pathsOf({ uri: 'file:etc/passwd' })).toEqual(['shape /etc/passwd']);
    expect(pathsOf({ path: 'file:' })).toEqual(['malformed']);
    expect(pathsOf({ pattern: 'file:' })).toEqual([]);
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
    ['file://', 'not_file_uri'],
    ['file:', 'not_file_uri'],
    [' FILE:\n', 'not_file_uri'],
  ])('are no URIs that can be read in two ways: %s', (uri, reason) => {
    expect(callPaths('resources/read', { uri })).toMatchObject({ kind: 'malformed', at: 'uri', reason });
  });

  it('hold no NUL', () => {
    expect(callPaths('tools/call', { arguments: { path: '/a\0b' } })).toMatchObject({ kind: 'malformed', at: 'path' });
    expect(callPaths('tools/call', { arguments: { x: '/a\0b' } })).toMatchObject({ kind: 'malformed', at: 'x' });
    expect(pathsOf({ x: 'a\0b' })).toEqual([]);
  });

  it('are looked for in every member but what only names or is handed back', () => {
    const of = (method: string, params: unknown) => {
      const found = callPaths(method, params);
      return found.kind === 'paths' ? found.paths.map(({ path, at }) => `${at} ${path}`) : found.kind;
    };
    expect(of('resources/read', { uri: 'test://static/etc/passwd' })).toEqual([]);
    expect(of('resources/subscribe', { uri: 'file:///x' })).toEqual(['uri /x']);
    expect(of('prompts/get', { name: '/etc', arguments: { file: '/p' } })).toEqual(['file /p']);
    expect(of('completion/complete', { argument: { name: 'path', value: '/c' } })).toEqual(['path /c']);
    expect(
      of('completion/complete', {
        ref: { type: 'ref/resource', uri: 'file:///t' },
        argument: { name: 'x', value: 'v', more: '/m' },
        context: { arguments: { file: '/f' }, other: '/o' },
      }),
    ).toEqual(['ref.uri /t', 'argument.more /m', 'file /f', 'context.other /o']);
    expect(of('completion/complete', { ref: { type: 'ref/prompt', name: '/p' } })).toEqual([]);
    expect(of('tools/call', { name: '/etc', requestState: '/s', arguments: { a: [{ b: '/z' }] } })).toEqual([
      'a[0].b /z',
    ]);
    const responses = { k: { action: 'accept', content: { file: '/i' } } };
    expect(of('tools/call', { inputResponses: responses, extra: '/x' })).toEqual([
      'inputResponses.k.content.file /i',
      'extra /x',
    ]);
    expect(of('tools/call', undefined)).toEqual([]);
  });

  it.each([
    [{ at: '/x' }, 'at /x'],
    [{ name: '/x' }, 'name /x'],
    [{ requestState: '/x' }, 'requestState /x'],
    [{ arguments: ['/x'] }, '[0] /x'],
    [{ deep: [{ er: '/x' }] }, 'deep[0].er /x'],
    [{ '/x': true }, '/x /x'],
    [['/x'], '[0] /x'],
    ['/x', ' /x'],
  ])('are looked for in whatever goes with a method that nobody knows: %j', (params, expected) => {
    const found = callPaths('x/own', params);
    expect(found.kind === 'paths' ? found.paths.map(({ path, at }) => `${at} ${path}`) : found).toEqual([expected]);
  });

  it('are told from those in members of _meta that a call can do without', () => {
    const _meta = {
      progressToken: '/token',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'x-codex-turn-metadata': { workspaces: { '/work': { commit: 'a' } } },
      'claudecode/toolUseId': 'toolu_1',
      'a/uri': 'file://host/etc',
      '/key': 1,
      'io.modelcontextprotocol/clientInfo': { name: '/needed', version: '1' },
    };
    expect(callPaths('tools/call', { name: 'x', arguments: { path: 'a' }, _meta })).toEqual({
      kind: 'paths',
      unreadable: ['a/uri'],
      paths: [
        { path: 'a', evidence: 'named', form: 'text', at: 'path' },
        { path: '/needed', evidence: 'shape', form: 'text', at: '_meta.io.modelcontextprotocol/clientInfo.name' },
        {
          path: '/work',
          evidence: 'shape',
          form: 'text',
          at: '_meta.x-codex-turn-metadata.workspaces./work',
          meta: 'x-codex-turn-metadata',
        },
        { path: '/key', evidence: 'shape', form: 'text', at: '_meta./key', meta: '/key' },
      ],
    });
    for (const odd of [['/x'], '/x', { progressToken: { x: '/x' } }])
      expect(callPaths('tools/call', { _meta: odd })).toMatchObject({ paths: [{ path: '/x' }] });
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
    const deep = 'a/'.repeat(MAX_CALL_SEGMENTS / 16);
    const names = (count: number) => Array.from({ length: count }, (_, at) => `${deep.slice(2)}${at}`);
    expect(pathsOf({ paths: names(16) })).toHaveLength(16);
    expect(callPaths('tools/call', { arguments: { paths: names(17) } })).toEqual({
      kind: 'too_many',
      limit: MAX_CALL_SEGMENTS,
      of: 'segments',
    });
    expect(callPaths('tools/call', { _meta: { 'a/b': { paths: names(17) } } })).toMatchObject({ of: 'segments' });
  });

  it('are not looked for among more values than can be looked at in time', () => {
    const wide = (length: number): unknown => ({ x: Array.from({ length }, () => 'a') });
    expect(pathsOf(wide(MAX_CALL_VALUES - 10))).toEqual([]);
    const tooMany = { kind: 'too_many', limit: MAX_CALL_VALUES, of: 'values' };
    const many = Array.from({ length: MAX_CALL_VALUES + 1 }, (_, at) => [`k${at}`, []]);
    for (const value of [wide(MAX_CALL_VALUES + 1), Object.fromEntries(many), JSON.stringify(wide(300_000))]) {
      expect(callPaths('tools/call', { arguments: { x: value } })).toEqual(tooMany);
      expect(callPaths('tools/call', { _meta: { x: value } })).toEqual(tooMany);
    }
    expect(callPaths('x/own', Object.fromEntries(many))).toEqual(tooMany);
    expect(callPaths('tools/call', { _meta: Object.fromEntries(many) })).toEqual(tooMany);
  });

  it('are found however deep a value is nested, and told with a short place', () => {
    let value: unknown = '/deep';
    for (let depth = 0; depth < 15_000; depth++) value = [value];
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
