import { describe, expect, it } from 'vitest';
import { checkSessionSetup } from './session-setup.ts';
import { setupErrorData } from './setup-issue.ts';

const stdio = { name: 'files', command: '/usr/bin/files', args: ['--ro'], env: [{ name: 'TOKEN', value: 's3cret' }] };
const http = {
  type: 'http',
  name: 'web',
  url: 'https://example.org/mcp',
  headers: [{ name: 'X-Key', value: 's3cret' }],
};
const valid = { cwd: '/home/me', mcpServers: [] };

const issuesOf = (params: unknown, method: 'session/new' | 'session/load' | 'session/resume' = 'session/new') => {
  const check = checkSessionSetup(method, params);
  return check.kind === 'invalid' ? check.issues : [];
};
const pathsOf = (params: unknown, method?: 'session/load' | 'session/resume') =>
  issuesOf(params, method).map((issue) => issue.path);
const server = (entry: unknown) => ({ ...valid, mcpServers: [entry] });

describe('checkSessionSetup', () => {
  it('reads what was asked for', () => {
    const params = {
      cwd: '/home/me',
      additionalDirectories: ['/srv/a', 'C:\\b'],
      mcpServers: [
        stdio,
        http,
        { type: 'sse', name: 's', url: 'http://h/', headers: [] },
        { type: 'acp', name: 'c', serverId: '1' },
      ],
      _meta: { other: 1, 'sandboxagent.dev': { title: 'T' } },
    };
    expect(checkSessionSetup('session/new', params)).toEqual({
      kind: 'ok',
      setup: {
        cwd: params.cwd,
        additionalDirectories: params.additionalDirectories,
        mcpServers: params.mcpServers,
        meta: { title: 'T' },
      },
    });
  });

  it('keeps fields of a server that it does not know', () => {
    const entry = { ...stdio, type: 'stdio', _meta: { a: 1 }, future: true };
    expect(checkSessionSetup('session/new', server(entry))).toMatchObject({ setup: { mcpServers: [entry] } });
  });

  it.each([null, [], 'x', undefined, 3])('refuses params that are no object: %j', (params) => {
    expect(pathsOf(params)).toEqual(['']);
  });

  it('says how to mend a missing list of servers', () => {
    const issues = issuesOf({ cwd: '/a' });
    expect(setupErrorData(issues)).toEqual({
      summary: 'mcpServers: required array, was missing: send [] when there are none',
      issues: [
        { path: 'mcpServers', expected: 'required array', received: 'missing', fix: 'send [] when there are none' },
      ],
    });
    expect(issuesOf({ cwd: '/a', mcpServers: null })[0]?.received).toBe('null');
    expect(pathsOf({ cwd: '/a', mcpServers: { files: stdio } })).toEqual(['mcpServers']);
  });

  it('lets only resume leave the servers out', () => {
    const params = { sessionId: 's', cwd: '/a' };
    expect(pathsOf(params, 'session/load')).toEqual(['mcpServers']);
    expect(checkSessionSetup('session/resume', params)).toMatchObject({ setup: { sessionId: 's', mcpServers: [] } });
    expect(pathsOf({ ...params, mcpServers: null }, 'session/resume')).toEqual(['mcpServers']);
  });

  it('requires a session id on load and resume, and takes none on new', () => {
    for (const sessionId of [undefined, null, '', 7, 'a\nb', 'x'.repeat(600)]) {
      expect(pathsOf({ ...valid, sessionId }, 'session/load')).toEqual(['sessionId']);
      expect(pathsOf({ ...valid, sessionId }, 'session/resume')).toEqual(['sessionId']);
    }
    const check = checkSessionSetup('session/new', { ...valid, sessionId: 's' });
    expect(check).toMatchObject({ kind: 'ok' });
    expect(check).not.toHaveProperty('setup.sessionId');
  });

  it.each(['/', '/a b/ü', 'C:\\', 'c:/x', '\\\\host\\share\\x'])('takes %j as an absolute path', (cwd) => {
    expect(pathsOf({ ...valid, cwd })).toEqual([]);
  });

  it.each([undefined, null, '', '.', 'src', '~/x', 'C:x', '\\x', '\\\\host', 'file:///a', '/a\0b', 5, ['/a']])(
    'refuses %j as cwd and as an additional directory',
    (cwd) => {
      expect(pathsOf({ ...valid, cwd })).toEqual(['cwd']);
      expect(pathsOf({ ...valid, additionalDirectories: ['/ok', cwd] })).toEqual(['additionalDirectories[1]']);
    },
  );

  it('refuses null and text as a list of directories', () => {
    for (const additionalDirectories of [null, '/a', {}]) {
      expect(pathsOf({ ...valid, additionalDirectories })).toEqual(['additionalDirectories']);
    }
    expect(pathsOf({ ...valid, additionalDirectories: undefined })).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['null', null, ['mcpServers[0]']],
    ['a name', 'files', ['mcpServers[0]']],
    ['nothing in it', {}, ['name', 'command', 'args', 'env'].map((field) => `mcpServers[0].${field}`)],
    ['an empty name', { ...stdio, name: '' }, ['mcpServers[0].name']],
    ['no command', { ...stdio, command: undefined }, ['mcpServers[0].command']],
    ['null for args', { ...stdio, args: null }, ['mcpServers[0].args']],
    ['a number in args', { ...stdio, args: ['a', 1] }, ['mcpServers[0].args[1]']],
    ['an object for env', { ...stdio, env: { TOKEN: 's3cret' } }, ['mcpServers[0].env']],
    ['text in env', { ...stdio, env: ['TOKEN=s3cret'] }, ['mcpServers[0].env[0]']],
    ['a variable without value', { ...stdio, env: [{ name: 'A' }] }, ['mcpServers[0].env[0].value']],
    [
      'a variable with = in its name',
      { ...stdio, env: [{ name: 'A=s3cret', value: '' }] },
      ['mcpServers[0].env[0].name'],
    ],
    ['an unknown type', { ...stdio, type: 'pipe' }, ['mcpServers[0].type']],
    ['null for type', { ...stdio, type: null }, ['mcpServers[0].type']],
    ['http without headers', { ...http, headers: undefined }, ['mcpServers[0].headers']],
    ['http with a relative URL', { ...http, url: '/s3cret' }, ['mcpServers[0].url']],
    ['http with a file URL', { ...http, url: 'file:///s3cret' }, ['mcpServers[0].url']],
    [
      'a header of two lines',
      { ...http, headers: [{ name: 'A', value: 's3cret\r\nB: c' }] },
      ['mcpServers[0].headers[0].value'],
    ],
    [
      'a header name with a space',
      { ...http, headers: [{ name: 'A b', value: '' }] },
      ['mcpServers[0].headers[0].name'],
    ],
    ['acp without serverId', { type: 'acp', name: 'a' }, ['mcpServers[0].serverId']],
  ])('refuses a server that is or has %s', (_, entry, paths) => {
    const issues = issuesOf(server(entry));
    expect(issues.map((issue) => issue.path)).toEqual(paths);
    expect(JSON.stringify(setupErrorData(issues))).not.toContain('s3cret');
  });

  it('refuses the same name twice', () => {
    expect(pathsOf({ ...valid, mcpServers: [stdio, http, { ...http, name: 'files' }] })).toEqual([
      'mcpServers[2].name',
    ]);
  });

  it('reports everything at once, shortened and at most 20 times', () => {
    expect(pathsOf({ cwd: 'x', additionalDirectories: null })).toEqual(['cwd', 'additionalDirectories', 'mcpServers']);
    expect(issuesOf({ ...valid, cwd: 'x'.repeat(10_000) })[0]?.received.length).toBeLessThan(80);
    expect(issuesOf({ ...valid, mcpServers: Array(100_000).fill(0) })).toHaveLength(20);
  });
});
