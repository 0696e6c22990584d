import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  agentEnvironment,
  type ConfigFlags,
  type ConfigProblem,
  describeProblem,
  loadConfig,
  showConfig,
} from './config.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reeve-config-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load(text: string | undefined, flags: ConfigFlags = {}, env: Record<string, string> = {}) {
  const file = join(home, 'reeve.jsonc');
  if (text !== undefined) writeFileSync(file, text);
  return loadConfig({
    file: text === undefined ? undefined : file,
    flags,
    env: { HOME: home, PATH: join(home, 'bin'), ...env },
  });
}

function ok(text: string | undefined, flags: ConfigFlags = {}, env: Record<string, string> = {}) {
  const result = load(text, flags, env);
  if (result.kind !== 'ok') throw new Error(result.problems.map(describeProblem).join('\n'));
  return result;
}

function problems(text: string, flags: ConfigFlags = {}, env: Record<string, string> = {}): readonly ConfigProblem[] {
  const result = load(text, flags, env);
  return result.kind === 'invalid' ? result.problems : [];
}

function program(name: string): void {
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'bin', name), '#!/bin/sh\n');
  chmodSync(join(home, 'bin', name), 0o755);
}

describe('loading', () => {
  it('has a default for everything', () => {
    const { config, origins, file } = ok(undefined);
    expect(file).toBeUndefined();
    expect(config).toMatchObject({ host: '127.0.0.1', port: 7433, auth: 'token', agents: {}, log: { level: 'info' } });
    expect(config.limits).toMatchObject({ maxLineBytes: 33554432, maxSessionsLive: 256, stderrTailBytes: 65536 });
    expect(config.timeouts).toMatchObject({ initializeMs: 30000, agentStopGraceMs: 1500, idleAgentMs: 1800000 });
    expect(config.dataDir).toBe(join(home, '.local/share/reeve'));
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
  });

  it('is frozen all the way down', () => {
    const { config } = ok('{"agents": {"a": {"command": "x"}}}');
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.limits)).toBe(true);
    expect(Object.isFrozen(config.agents.a?.args)).toBe(true);
  });

  it('prefers flags to the environment, and that to the file, and says which', () => {
    const text = '// with a comment\n{"port": 1, "host": "localhost", "limits": {"maxConnections": 5},}';
    const { config, origins } = ok(text, { port: '3' }, { REEVE_PORT: '2', REEVE_LOG_LEVEL: 'debug' });
    expect(config.port).toBe(3);
    expect(origins).toMatchObject({
      port: 'flag',
      host: 'file',
      'log.level': 'env',
      'limits.maxConnections': 'file',
      'limits.maxLineBytes': 'default',
    });
  });

  it('takes the settings of the audit log up to their edges, and none beyond', () => {
    for (const text of [
      '{"audit": {"checkpointRecords": 1, "checkpointMs": 10}}',
      '{"audit": {"checkpointRecords": 100000}}',
    ]) {
      expect(ok(text).origins).toMatchObject({ 'audit.checkpointRecords': 'file' });
    }
    for (const setting of [
      '"checkpointRecords": 0',
      '"checkpointRecords": 100001',
      '"checkpointMs": 9',
      '"checkpointMs": 86400001',
    ]) {
      const file = join(home, 'audit.jsonc');
      writeFileSync(file, `{"audit": {${setting}}}`);
      const { kind } = loadConfig({ file, flags: {}, env: { HOME: home } });
      expect(kind, setting).toBe('invalid');
    }
  });

  it('finds the file of the user when none is named, and insists on one that is', () => {
    mkdirSync(join(home, '.config/reeve'), { recursive: true });
    writeFileSync(join(home, '.config/reeve/config.jsonc'), '{"port": 9}');
    expect(ok(undefined).config.port).toBe(9);
    const missing = loadConfig({ file: join(home, 'nope.jsonc'), flags: {}, env: { HOME: home } });
    expect(missing).toMatchObject({ kind: 'invalid', problems: [{ came: 'ENOENT' }] });
  });

  it('reads paths relative to the file, and ~ as the home directory', () => {
    const { config } = ok('{"dataDir": "data", "agents": {"a": {"command": "./agent"}, "b": {"command": "b"}}}');
    expect(config.dataDir).toBe(join(home, 'data'));
    expect(config.agents.a).toMatchObject({ command: join(home, 'agent') });
    expect(config.agents.b?.command).toBe('b');
  });
});

describe('agents', () => {
  it("takes Zed's agent_servers as it is", () => {
    const { config } = ok(
      '{"agent_servers": {"My Agent": {"type": "custom", "command": "node", "args": ["x"], "env": {"A": "b"}}}}',
    );
    expect(config.agents).toEqual({ 'My Agent': { command: 'node', args: ['x'], env: { A: 'b' }, passEnv: [] } });
    expect(config.defaultAgent).toBe('My Agent');
  });

  it('says of a known agent which npm package its program is from, unless the entry says it or starts another program', () => {
    const { config } = ok(`{"agents": {
      "claude": {"command": "/opt/claude-agent-acp"},
      "codex": {"command": "codex-acp", "npm": {"package": "@zed-industries/codex-acp", "bin": "codex-acp"}},
      "gemini": {"command": "my-gemini"}
    }}`);
    expect(config.agents.claude?.npm).toEqual({ package: '@agentclientprotocol/claude-agent-acp' });
    expect(config.agents.codex?.npm).toEqual({ package: '@zed-industries/codex-acp', bin: 'codex-acp' });
    expect(config.agents.gemini?.npm).toBeUndefined();
  });

  it('takes only the name of a package of the registry for one', () => {
    for (const name of ['', '../x', 'x@1.0.0', 'https://example.org/x.tgz', '-g', 'git+ssh://host/x']) {
      const text = JSON.stringify({ agents: { mine: { command: 'x', npm: { package: name } } } });
      expect(problems(text).map(({ path }) => path)).toEqual(['agents.mine.npm.package']);
    }
  });

  it('adds known agents whose program is on the PATH, unless the file has one of that name', () => {
    program('gemini');
    program('opencode');
    const { config, origins } = ok('{"agents": {"opencode": {"command": "/opt/oc"}}}');
    expect(config.agents.gemini).toMatchObject({ command: 'gemini', args: ['--acp'] });
    expect(config.agents.gemini?.passEnv).toContain('GEMINI_API_KEY');
    expect(config.agents.opencode).toMatchObject({ command: '/opt/oc', passEnv: [] });
    expect(config.agents.claude).toBeUndefined();
    expect(origins).toMatchObject({ 'agents.gemini': 'default', 'agents.opencode': 'file' });
  });

  it('gives an agent the base environment, what it may be passed, and its own', () => {
    const environment = { PATH: '/bin', LC_ALL: 'C', XDG_X: 'x', SECRET: 's', KEY: 'k', HOME: '/h' };
    expect(agentEnvironment({ env: { HOME: '/other' }, passEnv: ['KEY', 'ABSENT'] }, environment)).toEqual({
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_X: 'x',
      KEY: 'k',
      HOME: '/other',
    });
  });
});

describe('boundaries and servers', () => {
  it('reads workspaces and servers, with paths relative to the file and ~ as the home directory', () => {
    const { config, origins } = ok(`{
      "workspaces": {"shop": {"roots": [{"path": "shop", "access": "rw"}, {"path": "~/docs", "access": "ro", "name": "Docs"}],
        "network": "none", "require": "declared", "mcpServers": {"notes": {"command": "./notes", "args": ["--x"]}}}},
      "mcpServers": {"files": {"command": "mcp-files", "passEnv": ["KEY"], "trusted": true, "network": {"allow": ["a.example"]}},
        "wiki": {"url": "https://wiki.example/mcp", "headers": {"Authorization": "Bearer s3cret"}}},
      "policy": {"files": ["rules.cedar"]}
    }`);
    expect(config.workspaces.shop).toMatchObject({
      roots: [
        { path: join(home, 'shop'), access: 'rw' },
        { path: join(home, 'docs'), access: 'ro', name: 'Docs' },
      ],
      network: 'none',
      require: 'declared',
      mcpServers: { notes: { command: join(home, 'notes'), args: ['--x'], trusted: false } },
    });
    expect(config.mcpServers).toMatchObject({
      files: { command: 'mcp-files', passEnv: ['KEY'], trusted: true },
      wiki: { url: 'https://wiki.example/mcp', trusted: false },
    });
    expect(config.policy).toEqual({
      files: [join(home, 'rules.cedar')],
      maxRemembered: 4096,
      callsAfterChange: { narrowed: 'cancel', widened: 'finish' },
    });
    expect(origins).toMatchObject({ 'workspaces.shop': 'file', 'mcpServers.wiki': 'file', 'policy.files': 'file' });
  });

  it.each([
    ['{"workspaces": {"a": {"roots": []}}}', 'workspaces.a.roots', 'Write at least one'],
    ['{"workspaces": {"a": {}}}', 'workspaces.a.roots', 'Add "roots"'],
    ['{"workspaces": {"a": {"roots": [{"path": "x"}]}}}', 'workspaces.a.roots[0].access', 'Add "access"'],
    ['{"workspaces": {"/a": {"roots": [{"path": "x", "access": "ro"}]}}}', 'workspaces["/a"]', 'Rename it.'],
    ['{"mcpServers": {"a": {}}}', 'mcpServers.a.command', 'Add "command": a program to start'],
    ['{"mcpServers": {"a": {"type": "sse"}}}', 'mcpServers.a.url', 'Add "url"'],
    ['{"mcpServers": {"a": {"command": "x", "url": "http://a"}}}', 'mcpServers.a.url', 'not both'],
    ['{"mcpServers": {"a": {"command": "x", "type": "http"}}}', 'mcpServers.a.type', '"stdio" with a "command"'],
    ['{"mcpServers": {"a": {"command": "x", "headers": {}}}}', 'mcpServers.a.headers', 'is started has none'],
    ['{"mcpServers": {"a": {"url": "http://a", "args": []}}}', 'mcpServers.a.args', 'is reached has none'],
    ['{"mcpServers": {"a": {"url": "ftp://a"}}}', 'mcpServers.a.url', 'http:// or https://'],
    ['{"mcpServers": {"a": {"comand": "x", "command": "x"}}}', 'mcpServers.a.comand', 'Did you mean "command"?'],
    ['{"workspaceServers": "yes"}', 'workspaceServers', 'default "propose"'],
    ['{"policy": {"maxRemembered": -1}}', 'policy.maxRemembered', 'default 4096'],
    ['{"policy": {"callsAfterChange": {"widened": "no"}}}', 'policy.callsAfterChange.widened', 'default "finish"'],
    ['{"alarms": {"webhook": {}}}', 'alarms.webhook.url', 'Add "url"'],
  ])('%s', (text, path, mend) => {
    const found = problems(text);
    expect(found.map((problem) => problem.path)).toEqual([path]);
    expect(found[0]?.mend).toContain(mend);
  });

  it('never shows what may be a secret, neither in force nor wrong', () => {
    const { config, origins } = ok(`{
      "workspaces": {"a": {"roots": [{"path": "x", "access": "ro"}], "mcpServers": {"n": {"command": "n", "env": {"KEY": "s3cret"}}}}},
      "mcpServers": {"w": {"url": "https://s3cret:s3cret@wiki.example/mcp?key=s3cret", "headers": {"X-Key": "s3cret"}}},
      "alarms": {"webhook": {"url": "https://hooks.example/services/s3cret", "headers": {"X-Key": "s3cret"}}}
    }`);
    const shown = showConfig(config, origins);
    expect(shown['mcpServers.w']?.value).toMatchObject({
      url: 'https://(hidden)@wiki.example/mcp?(hidden)',
      headers: { 'X-Key': '(hidden)' },
    });
    expect(shown['alarms.webhook']?.value).toMatchObject({ url: 'https://hooks.example/(hidden)' });
    expect(JSON.stringify(shown)).not.toContain('s3cret');
    const wrong = problems(
      '{"mcpServers": {"w": {"url": "s3cret", "headers": {"X": "s3cret\\n"}}}, "alarms": {"webhook": {"url": "s3cret"}}}',
    );
    expect(wrong).toHaveLength(3);
    expect(JSON.stringify(wrong)).not.toContain('s3cret');
  });
});

describe('what is wrong', () => {
  it('names path, place, expectation, value and mend', () => {
    const [problem] = problems('{\n  "port": "7433"\n}');
    expect(problem).toMatchObject({
      path: 'port',
      line: 2,
      column: 11,
      came: '"7433"',
      mend: 'Write 7433 without quotes.',
    });
    expect(describeProblem(problem as ConfigProblem)).toMatch(
      /reeve\.jsonc:2:11: port: expected a port: .*, came "7433"\./,
    );
  });

  it.each([
    ['{"prot": 1}', 'prot', 'Did you mean "port"?'],
    ['{"limits": {"maxLineByte": 1}}', 'limits.maxLineByte', 'Did you mean "maxLineBytes"?'],
    ['{"agents": {"a": {"command": "x", "arg": []}}}', 'agents.a.arg', 'Did you mean "args"?'],
    ['{"agents": {"a": {"args": []}}}', 'agents.a.command', 'Add "command"'],
    ['{"agent_servers": {"a": {"command": "x", "args": [1]}}}', 'agents.a.args[0]', 'Write text.'],
    ['{"limits": {"maxConnections": 0}}', 'limits.maxConnections', 'default 1000'],
    ['{"agents": {"a": {"command": "x"}}, "defaultAgent": "b"}', 'defaultAgent', 'Known: a.'],
    ['{"agents": {"/x": {"command": "x"}}}', 'agents["/x"]', 'Rename it.'],
    ['{"auth": "none", "host": "0.0.0.0"}', 'auth', 'Set "auth" to "token"'],
    ['{"port": 1, "port": 2}', 'port', 'Remove one of the two.'],
    ['{"agents": {}, "agent_servers": {}}', 'agent_servers', 'Move all entries'],
    ['{"log": {"level": "loud"}}', 'log.level', 'default "info"'],
    ['{"allowedOrigins": ["https://a.example/x"]}', 'allowedOrigins[0]', 'https://console.example.org'],
    ['{"timeouts": {"heartbeatMs": 1000, "vanishedMs": 1000}}', 'timeouts.vanishedMs', 'Write 3000'],
    ['{"__proto__": {"port": 1}}', '__proto__', 'Remove it'],
    ['{"port": }', '', 'Correct the syntax'],
    ['[]', '', 'Write {}'],
    ['', '', 'Write {}'],
  ])('%s', (text, path, mend) => {
    const found = problems(text);
    expect(found[0]?.path).toBe(path);
    expect(found[0]?.mend).toContain(mend);
    expect(found[0]?.line).toBeGreaterThan(0);
  });

  it('names the flag or the variable when that said it', () => {
    expect(problems('{}', { port: 'abc' })[0]).toMatchObject({ source: '--port', came: '"abc"' });
    expect(problems('{}', {}, { REEVE_PORT: '70000' })[0]).toMatchObject({ source: 'REEVE_PORT', came: '70000' });
    expect(problems('{}', { auth: 'none', host: '0.0.0.0' })[0]).toMatchObject({ source: '--no-auth' });
  });

  it('never shows the text of an environment variable', () => {
    const text = '{"agents": {"a": {"command": "x", "env": {"KEY": {"v": "s3cret"}, "1": "s3cret"}}}}';
    expect(JSON.stringify(problems(text))).not.toContain('s3cret');
    expect(problems(text)).toHaveLength(2);
  });
});

it('shows the effective configuration with origins and without secrets', () => {
  const { config, origins } = ok(
    '{"agents": {"a.b": {"command": "x", "env": {"KEY": "s3cret"}}}, "tls": {"certFile": "/c", "keyFile": "/k"}}',
  );
  const shown = showConfig(config, origins);
  expect(shown['agents.a.b']).toEqual({
    value: { command: 'x', args: [], passEnv: [], env: { KEY: '(hidden)' } },
    origin: 'file',
  });
  expect(shown.tls).toEqual({ value: { certFile: '/c', keyFile: '/k' }, origin: 'file' });
  expect(JSON.stringify(shown)).not.toContain('s3cret');
});
