import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, mkdtempDisposable, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isReeveError, type JsonObject } from '@reeve/protocol';
import {
  bareProfile,
  createProcessHolder,
  type EgressDecision,
  type ProcessHolder,
  type Profile,
} from '@reeve/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canServeFiles, OpenRoots } from '../boundary/open-roots.ts';
import { SessionTerminals, type SessionTerminalsOptions, type TerminalMethod } from './session-terminals.ts';
import type { TerminalFact } from './terminal-record.ts';

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('terminal/*', () => {
  let work: string;
  let holder: ProcessHolder;
  let roots: OpenRoots;
  let terminals: SessionTerminals;
  let facts: TerminalFact[];
  const { signal } = new AbortController();

  beforeEach(async () => {
    work = await realpath(await mkdtemp(join(tmpdir(), 'reeve-terminals-')));
    holder = createProcessHolder();
    roots = await OpenRoots.open([{ path: work, access: 'rw' }]);
    facts = [];
    terminals = openTerminals({});
  });
  const openTerminals = (
    confinement: SessionTerminalsOptions['confinement'],
    onEgress?: SessionTerminalsOptions['onEgress'],
    by: ProcessHolder = holder,
  ): SessionTerminals =>
    new SessionTerminals({
      holder: by,
      roots: Promise.resolve(roots),
      cwd: work,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', ONE: 'of the session', TWO: 'of the session' },
      confinement,
      ...(onEgress === undefined ? {} : { onEgress }),
      onFact: (fact) => facts.push(fact),
      limits: { maxTerminals: 3, terminalOutputBytes: 1024, terminalLogBytes: 1024, stopKillMs: 200 },
    });
  afterEach(async () => {
    await terminals[Symbol.asyncDispose]();
    await holder[Symbol.asyncDispose]();
    await roots[Symbol.asyncDispose]();
    await rm(work, { recursive: true, force: true });
  });

  const call = (method: TerminalMethod, params: JsonObject, by = signal): Promise<JsonObject> =>
    terminals.answer(method, { sessionId: 's', ...params }, by).catch((error: unknown) => {
      if (isReeveError(error)) return error.toRpc() as unknown as JsonObject;
      throw error;
    });
  const sh = async (script: string, more: JsonObject = {}): Promise<string> =>
    (await call('terminal/create', { command: 'sh', args: ['-c', script], ...more })).terminalId as string;
  const ended = async (terminalId: string): Promise<JsonObject> => {
    const exitStatus = await call('terminal/wait_for_exit', { terminalId });
    const output = await call('terminal/output', { terminalId });
    expect(output.exitStatus).toEqual(exitStatus);
    return output;
  };
  /** How many `sleep` processes have this text among their arguments, in whatever namespace they are. */
  const sleepers = (mark: string): number =>
    readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`sleep\0${mark}`);
      } catch {
        return false;
      }
    }).length;
  const running = async (mark: string, count = 1): Promise<void> => {
    await expect.poll(() => sleepers(mark), { interval: 5 }).toBe(count);
  };
  /** A number of seconds that no other test sleeps. */
  const newMark = (): string => `${100 + Math.random()}`;

  /** The working directory, with a pipe `go` that a command can wait for. */
  const withPipe = async (): Promise<string> => {
    await promisify(execFile)('mkfifo', [join(work, 'go')]);
    return work;
  };

  it('tells what a command writes while it runs, and how it ends', async () => {
    const id = await sh('echo begun; read -r _ < go; echo done; exit 4', { cwd: await withPipe() });
    await expect.poll(() => facts).toEqual([{ kind: 'output', terminalId: id, output: 'begun\n' }]);
    await writeFile(join(work, 'go'), 'on\n');
    await ended(id);
    expect(facts.slice(1)).toEqual([
      { kind: 'output', terminalId: id, output: 'done\n' },
      { kind: 'exited', terminalId: id, exitCode: 4, signal: null },
    ]);
  });

  it('tells the end of what still runs when the agent is gone at once, and nothing after that', async () => {
    const mark = newMark();
    const id = await sh(`echo begun; sleep ${mark}`);
    await expect.poll(async () => (await call('terminal/output', { terminalId: id })).output).toBe('begun\n');
    const closing = terminals[Symbol.asyncDispose]();
    const told = [
      { kind: 'output', terminalId: id, output: 'begun\n' },
      { kind: 'exited', terminalId: id, exitCode: null, signal: null },
    ];
    expect(facts).toEqual(told);
    await closing;
    expect(facts).toEqual(told);
  });

  it('runs a command to its end: both outputs in the order in which they were written, exit code', async () => {
    const id = await sh('for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 7');
    expect(await ended(id)).toEqual({
      output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
      truncated: false,
      exitStatus: { exitCode: 7, signal: null },
    });
  });

  it('passes arguments as they are, and gives no input', async () => {
    const { terminalId } = await call('terminal/create', { command: 'printf', args: ['%s|', 'a b', '$HOME', '*', ''] });
    expect(await ended(terminalId as string)).toMatchObject({ output: 'a b|$HOME|*||' });
    const cat = await call('terminal/create', { command: 'cat' });
    expect(await ended(cat.terminalId as string)).toMatchObject({ output: '', exitStatus: { exitCode: 0 } });
  });

  it('takes a command without arguments that is no program for a line of the shell', async () => {
    const { terminalId } = await call('terminal/create', { command: 'echo one && echo two >&2; exit 3', args: null });
    expect(await ended(terminalId as string)).toMatchObject({ output: 'one\ntwo\n', exitStatus: { exitCode: 3 } });
  });

  it('says in the output that a command cannot be found', async () => {
    const { terminalId } = await call('terminal/create', { command: 'no-such-program-here', args: ['x'] });
    expect(await ended(terminalId as string)).toMatchObject({
      output: expect.stringContaining('no-such-program-here'),
      exitStatus: { exitCode: 127, signal: null },
    });
  });

  it('adds the environment of the request to that of the session, and nothing of the server', async () => {
    const env = [
      { name: 'TWO', value: 'of the request' },
      { name: 'THREE', value: '3' },
    ];
    const { terminalId } = await call('terminal/create', { command: 'env', env });
    const { output } = await ended(terminalId as string);
    const lines = (output as string).split('\n');
    expect(lines).toEqual(expect.arrayContaining(['ONE=of the session', 'TWO=of the request', 'THREE=3']));
    expect(
      lines
        .map((line) => line.split('=')[0])
        .filter((name) => !['PATH', 'ONE', 'TWO', 'THREE', 'REEVE_PROCESS', 'PWD', '_', ''].includes(name ?? '')),
    ).toEqual([]);
  });

  it('runs in a directory inside the roots only', async () => {
    await mkdir(join(work, 'sub'));
    await symlink('sub', join(work, 'link'));
    await symlink('/', join(work, 'out'));
    expect(await ended(await sh('pwd -P'))).toMatchObject({ output: `${work}\n` });
    for (const name of ['sub', 'link']) {
      expect(await ended(await sh('pwd -P', { cwd: join(work, name) }))).toMatchObject({ output: `${work}/sub\n` });
      const { terminalId } = await call('terminal/create', { command: 'true', cwd: join(work, name) });
      await call('terminal/release', { terminalId });
    }
  });

  it('runs commands in the sandbox of the session, or not at all', async () => {
    const profile = bareProfile({ roots: [{ path: work, access: 'ro' }] });
    await using outside = await mkdtempDisposable(join(tmpdir(), 'reeve-outside-'));
    await writeFile(join(outside.path, 'secret'), 'outside');
    await writeFile(join(work, 'file'), 'inside');
    await using sandboxed = openTerminals({ profile, require: 'enforced' });
    const script = `pwd; cat file; cat ${outside.path}/secret; echo x > file`;
    const created = await sandboxed
      .answer('terminal/create', { command: 'sh', args: ['-c', script] }, signal)
      .catch((error: unknown) => error as JsonObject);
    if ('terminalId' in created) {
      await sandboxed.answer('terminal/wait_for_exit', created, signal);
      const { output } = await sandboxed.answer('terminal/output', created, signal);
      expect(output).toContain(`${work}\ninside`);
      expect(output).not.toContain('outside\n');
      expect(output).toMatch(/secret: No such file/);
    } else expect(created).toMatchObject({ name: 'forbidden', data: { reason: 'no-sandbox' } });
    expect(await readFile(join(work, 'file'), 'utf8')).toBe('inside');
  });

  it.each<[string, string, number]>([
    ['outside', '/', 47016],
    ['outside by a link', '$WORK/out', 47016],
    ['that is not there', '$WORK/none', -32002],
    ['that is a file', '$WORK/file', -32602],
    ['that is relative', 'sub', -32602],
  ])('refuses a directory %s', async (_what, cwd, code) => {
    await symlink('/tmp', join(work, 'out'));
    const made = await sh(': > file');
    await ended(made);
    expect(await call('terminal/create', { command: 'pwd', cwd: cwd.replace('$WORK', work) })).toMatchObject({ code });
  });

  it('keeps the last bytes that the agent asks for, at most what the setting says', async () => {
    const script = `i=0; while [ $i -lt 3000 ]; do printf ü; i=$((i+1)); done`;
    const some = await ended(await sh(script, { outputByteLimit: 11 }));
    expect(some).toMatchObject({ output: 'ü'.repeat(5), truncated: true });
    const most = await ended(await sh(script, { outputByteLimit: 1_000_000 }));
    expect(most).toMatchObject({ output: 'ü'.repeat(512), truncated: true });
    const exact = await ended(await sh('printf %1024s x', { outputByteLimit: null }));
    expect(exact).toMatchObject({ truncated: false });
  });

  it('can be read while it runs, and waited for by many', async () => {
    const mark = newMark();
    const id = await sh(`echo begun; exec sleep ${mark}`);
    await running(mark);
    const read = () => call('terminal/output', { terminalId: id });
    await expect.poll(read).toEqual({ output: 'begun\n', truncated: false, exitStatus: null });
    const waits = [1, 2].map(() => call('terminal/wait_for_exit', { terminalId: id }));
    await call('terminal/kill', { terminalId: id });
    expect(await Promise.all(waits)).toEqual([
      { exitCode: null, signal: 'SIGTERM' },
      { exitCode: null, signal: 'SIGTERM' },
    ]);
  });

  it('ends all that the command started when it is killed, and can still be read', async () => {
    const mark = newMark();
    const id = await sh(`echo begun; trap "" TERM; setsid sleep ${mark} & sleep ${mark}; sleep ${mark}`);
    await running(mark, 2);
    expect(await call('terminal/kill', { terminalId: id })).toEqual({});
    expect(sleepers(mark)).toBe(0);
    expect(await call('terminal/kill', { terminalId: id })).toEqual({});
    expect(await call('terminal/output', { terminalId: id })).toMatchObject({
      output: 'begun\n',
      exitStatus: { exitCode: null, signal: 'SIGKILL' },
    });
  });

  it('ends what a command left behind when it ended', async () => {
    const mark = newMark();
    const id = await sh(`sleep ${mark} & echo begun`);
    expect(await ended(id)).toMatchObject({ output: 'begun\n', exitStatus: { exitCode: 0, signal: null } });
    expect(sleepers(mark)).toBe(0);
  });

  it('is gone with all that it started once it is released', async () => {
    const mark = newMark();
    const id = await sh(`sleep ${mark} & wait`);
    await running(mark);
    const waiting = call('terminal/wait_for_exit', { terminalId: id });
    expect(await call('terminal/release', { terminalId: id })).toEqual({});
    expect(sleepers(mark)).toBe(0);
    expect(await waiting).toEqual({ exitCode: null, signal: 'SIGTERM' });
    for (const method of ['terminal/output', 'terminal/wait_for_exit', 'terminal/kill', 'terminal/release'] as const) {
      expect(await call(method, { terminalId: id })).toMatchObject({ code: -32002, data: { terminalId: id } });
    }
  });

  it('refuses one more than the limit, until one is released', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => call('terminal/create', { command: 'true' })));
    const [refused, ...others] = all.filter(({ code }) => code !== undefined);
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ code: 47010, message: expect.stringContaining('limits.maxTerminals') });
    const { terminalId } = all.find((answer) => answer.terminalId !== undefined) as JsonObject;
    await call('terminal/release', { terminalId });
    expect(await call('terminal/create', { command: 'true' })).toMatchObject({ terminalId: expect.any(String) });
  });

  it('stops waiting when the agent takes its request back, and runs on', async () => {
    const id = await sh('sleep 60');
    const abort = new AbortController();
    const waiting = terminals.answer('terminal/wait_for_exit', { terminalId: id }, abort.signal);
    abort.abort();
    await expect(waiting).rejects.toThrow('aborted');
    expect(await call('terminal/output', { terminalId: id })).toMatchObject({ exitStatus: null });
  });

  it('ends everything with its session', async () => {
    const mark = newMark();
    await Promise.all([1, 2].map(() => sh(`sleep ${mark} & wait`)));
    await running(mark, 2);
    await terminals[Symbol.asyncDispose]();
    expect(sleepers(mark)).toBe(0);
    expect(await call('terminal/create', { command: 'true' })).toMatchObject({ code: 47004 });
  });

  it('tells what its commands were refused of the network', async (test) => {
    if (!(await holder.probe()).usable) test.skip('no sandbox works here');
    const profile: Profile = {
      roots: [{ path: work, access: 'rw' }],
      readOnly: [process.execPath],
      home: { path: '/home/agent' },
      state: [],
      files: [],
      sockets: [],
      network: { allow: ['allowed.test:443'] },
      limits: {},
    };
    const decisions: EgressDecision[] = [];
    await using confined = openTerminals({ profile, require: 'enforced' }, (decision) => decisions.push(decision));
    const script = `require('node:net').connect(3128, '127.0.0.1').end('CONNECT denied.test:443 HTTP/1.1\\r\\nHost: denied.test\\r\\n\\r\\n').resume()`;
    const params = { sessionId: 's', command: process.execPath, args: ['-e', script] };
    const { terminalId } = await confined.answer('terminal/create', params, signal);
    await confined.answer('terminal/wait_for_exit', { sessionId: 's', terminalId }, signal);
    expect(decisions).toMatchObject([{ host: 'denied.test', port: 443, decision: 'denied' }]);
  });

  it('says what to do where no sandbox works or nothing is started, not to ask whoever set the policy', async () => {
    const holder = createProcessHolder({ sandbox: 'none' });
    await using confined = openTerminals({ profile: bareProfile(), require: 'enforced' }, undefined, holder);
    const create = () => confined.answer('terminal/create', { sessionId: 's', command: 'true' }, signal);
    await expect(create()).rejects.toMatchObject({
      name: 'forbidden',
      message: expect.stringContaining('no sandbox works here'),
      next: expect.stringMatching(/^Have the operator do what the message says: .*"reeve doctor"/),
      data: { reason: 'no-sandbox' },
    });
    await holder[Symbol.asyncDispose]();
    await expect(create()).rejects.toMatchObject({
      name: 'forbidden',
      next: expect.stringMatching(/^Do what the message says/),
      data: { reason: 'refused' },
    });
  });

  it.each<JsonObject>([
    {},
    { command: '' },
    { command: 'a\0b' },
    { command: 'x', args: 'y' },
    { command: 'x', args: [1] },
    { command: 'x', env: { A: '1' } },
    { command: 'x', env: [{ name: 'A=B', value: '' }] },
    { command: 'x', env: [{ name: 'A', value: 'secret\0' }] },
    { command: 'x', outputByteLimit: -1 },
  ])('refuses %j, and repeats no value', async (params) => {
    const refusal = await call('terminal/create', params);
    expect(refusal).toMatchObject({ code: -32602 });
    expect(JSON.stringify(refusal)).not.toContain('secret');
  });
});
