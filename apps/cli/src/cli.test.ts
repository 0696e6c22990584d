import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startCli } from './cli.rig.ts';

const permission = script(
  {
    permission: {
      title: 'write a file',
      options: [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  },
  { say: ' done' },
);

/** The fake agent's own files lie in no root. */
const UNCONFINED = { sandbox: { backend: 'none', require: 'declared' } };

let home: string;
let reeve: SpawnedReeve;
let env: Record<string, string>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'reeve-cli-'));
  reeve = await startReeve();
  env = { HOME: home, REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token };
});
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const run = (args: readonly string[], input?: string) => runCli(args, env, input);

/** A session with one turn: its id. */
async function newSession(prompt = script({ say: 'hello' })): Promise<string> {
  const { stderr } = await run(['run', '--cwd', home, prompt]);
  return /session (\S+)/.exec(stderr)?.[1] ?? '';
}

describe('reeve run', () => {
  it('prints the answer on stdout and progress on stderr', async () => {
    expect(
      await run(['run', '--agent', 'fake', '--cwd', home, script({ say: 'hello ' }, { say: 'world' })]),
    ).toMatchObject({
      code: 0,
      stdout: 'hello world\n',
      stderr: expect.stringMatching(/^session \S+\n$/),
    });
  });

  it('reads the prompt from stdin, and prints raw ACP with --json', async () => {
    const { code, stdout } = await run(
      ['run', '--json', '--cwd', home],
      script({ update: { sessionUpdate: 'odd', x: 1 } }),
    );
    expect(code).toBe(0);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.find(({ params }) => params?.update?.sessionUpdate === 'odd')?.params.update.x).toBe(1);
    expect(messages.at(-1)?.result).toMatchObject({ stopReason: 'end_turn' });
  });

  it.each([
    ['allow', 0, '"yes"'],
    ['deny', 0, '"no"'],
    ['ask', 5, '"no"'],
  ])('with --permissions %s ends with %i', async (policy, code, chosen) => {
    const done = await run(['run', '--cwd', home, '--permissions', policy, permission]);
    expect(done.stdout).toContain(chosen);
    expect(done.code).toBe(code);
  });

  it('leaves a permission to another client with --permissions wait', async () => {
    await using waiting = startCli(['run', '--cwd', home, '--permissions', 'wait', permission], env);
    await expect.poll(() => waiting.stderr()).toContain('session');
    const session = /session (\S+)/.exec(waiting.stderr())?.[1] ?? '';
    let listed: { id: string }[] = [];
    await expect
      .poll(async () => {
        const { stdout } = await run(['requests', 'ls', '--json', '--session', session]);
        listed = stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
        return listed.length;
      })
      .toBe(1);
    const id = listed[0]?.id ?? '';
    expect(await run(['requests', 'answer', id])).toMatchObject({ code: 2 });
    expect(await run(['requests', 'answer', id, '--option', 'maybe'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('next:'),
    });
    expect(await run(['requests', 'answer', id, '--once'])).toMatchObject({ code: 0 });
    expect(await run(['requests', 'answer', id, '--reject'])).toMatchObject({ code: 1 });
    expect(await waiting.done).toMatchObject({ code: 0, stdout: expect.stringContaining('"yes"') });
  });

  it('has a question answered by requests answer: several options, a text, a rejection with its reason', async () => {
    const options = ['a', 'b', 'c'].map((id) => ({ id, label: id.toUpperCase() }));
    const ask = { prompt: 'Which of them?', options, multiSelect: true, freeText: true };
    const form = {
      requestedSchema: { type: 'object', properties: { size: { type: 'integer' }, name: { type: 'string' } } },
    };
    const steps = script({ question: ask }, { question: ask }, { elicit: { message: 'How?', ...form } });
    await using waiting = startCli(['run', '--cwd', home, '--permissions', 'wait', steps], env);
    const next = async (before: string): Promise<string> => {
      let id = before;
      const look = async (): Promise<boolean> => {
        const { stdout } = await run(['requests', 'ls', '--json']);
        const { id: found = before } =
          stdout === '' ? {} : (JSON.parse(stdout.split('\n')[0] ?? '') as { id?: string });
        id = found;
        return id !== before;
      };
      await expect.poll(look).toBe(true);
      return id;
    };
    const first = await next('');
    const { stdout: listed } = await run(['requests', 'ls']);
    expect(listed).toMatch(/question +pending +\S+ +Which of them\? +a b c --text/);
    expect(await run(['requests', 'answer', first, '--option', 'd', '--option', 'a'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('none of those offered'),
    });
    expect(await run(['requests', 'answer', first, '--option', 'a', '--once'])).toMatchObject({ code: 2 });
    const answer = await run(['requests', 'answer', first, '--option', 'c', '--option', 'a', '--text', 'and d']);
    expect(answer).toMatchObject({ code: 0 });
    const second = await next(first);
    expect(await run(['requests', 'answer', second, '--reject', 'not now'])).toMatchObject({ code: 0 });
    const third = await next(second);
    expect(await run(['requests', 'answer', third, '--content', '[]'])).toMatchObject({ code: 2 });
    expect(await run(['requests', 'answer', third, '--content', '{"size": "big"}'])).toMatchObject({ code: 1 });
    expect(await run(['requests', 'answer', third, '--content', '{"size": 3}'])).toMatchObject({ code: 0 });
    const { code, stdout } = await waiting.done;
    expect(code).toBe(0);
    expect(stdout).toContain('"answers":[{"optionId":"c"},{"optionId":"a"},{"text":"and d"}]');
    expect(stdout).toContain('"outcome":"rejected","reason":"not now"');
    expect(stdout).toContain('"action":"accept","content":{"size":3}');
  });

  it('rejects a question where nobody sits', async () => {
    const done = await run(['run', '--cwd', home, script({ question: { prompt: 'Which?' } })]);
    expect(done.stdout).toContain('"outcome":"rejected","reason":"nobody to ask"');
    expect(done.code).toBe(5);
  });

  it('says which option was taken where the exact one was not offered', async () => {
    const nearest = script({ permission: { options: [{ optionId: 'just-now', name: 'Now', kind: 'allow_once' }] } });
    await using waiting = startCli(['run', '--cwd', home, '--permissions', 'wait', nearest], env);
    let id = '';
    const look = async (): Promise<string> => {
      const { stdout } = await run(['requests', 'ls', '--json']);
      id = stdout === '' ? '' : (JSON.parse(stdout.split('\n')[0] ?? '') as { id: string }).id;
      return id;
    };
    await expect.poll(look).not.toBe('');
    expect(await run(['requests', 'answer', id, '--always'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"always" was not offered, "just-now" (allow_once) is the nearest'),
    });
    expect(await waiting.done).toMatchObject({ code: 0 });
  });

  it('gives the session a name, choices and files, and says what the agent does not offer', async () => {
    const wishes = ['--title', 'A name', '--mode', 'code', '--model', 'no-such', '--attach', join(home, 'here.txt')];
    writeFileSync(join(home, 'here.txt'), 'x');
    const said = await run(['run', '--cwd', home, ...wishes, '--alias', 'mine', script({ received: 'prompt' })]);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining('"type":"resource_link"') });
    expect(said.stderr).toContain('the agent offers no model "no-such"');
    const { stdout } = await run(['sessions', 'show', 'mine', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'A name', metadata: { agentMode: 'code' } });
    expect(await run(['run', '--cwd', home, '--attach', 'nowhere.txt', 'x'])).toMatchObject({ code: 2 });
  });

  it('cancels the turn when time is up, or when interrupted', async () => {
    const late = await run(['run', '--cwd', home, '--timeout', '1', script({ untilCancel: true })]);
    expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining('longer than 1 s') });
    await using running = startCli(['run', '--cwd', home, script({ say: 'begun' }, { untilCancel: true })], env);
    await expect.poll(() => running.stdout()).toContain('begun');
    running.kill('SIGINT');
    expect(await running.done).toMatchObject({ code: 130 });
  });

  it('says what is wrong: no prompt, no such agent, a relative place, a failing agent', async () => {
    expect(await run(['run'])).toMatchObject({ code: 2, stderr: expect.stringContaining('no prompt') });
    expect(await run(['run', '--agent', 'nobody', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nobody'),
    });
    expect(await run(['run', '--cwd', join(home, 'none'), 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cwd'),
    });
    const crash = await run(['run', '--cwd', home, script({ crash: { code: 3, stderr: 'out of luck' } })]);
    expect(crash).toMatchObject({ code: 1, stderr: expect.stringContaining('out of luck') });
  });
});

describe('reeve sessions', () => {
  it('lists, shows, reads, closes and removes', async () => {
    const id = await newSession();
    expect((await run(['sessions', 'ls'])).stdout).toContain(id);
    const shown = JSON.parse((await run(['sessions', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({ sessionId: id, agent: 'fake', cwd: home });
    const events = (await run(['sessions', 'events', id, '--json'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ kind }) => kind)).toContain('turn_end');
    expect(shown.state).toBe('closed');
    expect(
      (await run(['sessions', 'events', id, '--after', String(events.length - 1), '--json'])).stdout.trim().split('\n'),
    ).toHaveLength(1);
    expect(await run(['sessions', 'close', id])).toMatchObject({ code: 0 });
    expect(await run(['sessions', 'rm', id])).toMatchObject({ code: 0 });
    expect(await run(['sessions', 'show', id])).toMatchObject({ code: 4 });
    expect(await run(['attach', id])).toMatchObject({ code: 4 });
    expect(await run(['sessions', 'events', id, '--follow'])).toMatchObject({ code: 4 });
  });

  it('are renamed, cancelled and terminated', async () => {
    const id = await newSession();
    const changed = await run(['sessions', 'set', id, 'title=Renamed', 'skills=["a"]', 'note=', '--json']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ metadata: { title: 'Renamed', skills: ['a'] } });
    const pending = await run(['sessions', 'set', id, 'model=no-such-model']);
    expect(pending).toMatchObject({ code: 0, stderr: 'model "no-such-model" is for the next agent process\n' });
    const kept = /session (\S+)/.exec((await run(['run', '--keep', '--cwd', home, 'hello'])).stderr)?.[1] ?? '';
    const unmet = await run(['sessions', 'set', kept, 'model=no-such-model']);
    expect(unmet).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the agent offers no model "no-such-model"'),
    });
    expect((await run(['sessions', 'set', id, 'title'])).code).toBe(2);
    for (const verb of ['cancel', 'terminate']) {
      expect((await run(['sessions', verb, id])).code).toBe(0);
      expect((await run(['sessions', verb, 'nobody'])).code).toBe(4);
    }
  });

  it('are forked', async () => {
    const kept = /session (\S+)/.exec((await run(['run', '--keep', '--cwd', home, 'hello'])).stderr)?.[1] ?? '';
    const fork = JSON.parse((await run(['sessions', 'fork', kept, '--title', 'A fork', '--json'])).stdout);
    expect(fork).toMatchObject({ title: 'A fork', cwd: home, agent: 'fake' });
    expect(fork.sessionId).not.toBe(kept);
    expect((await run(['sessions', 'fork', 'nobody'])).code).toBe(4);
  });

  it('are followed and attached to until interrupted', async () => {
    const id = await newSession(script({ say: 'remembered' }));
    await using follower = startCli(['sessions', 'events', id, '--follow'], env);
    await using watcher = startCli(['attach', id, '--observe'], env);
    await expect.poll(() => follower.stdout()).toContain('remembered');
    await expect.poll(() => watcher.stdout()).toContain('remembered');
    follower.kill('SIGINT');
    watcher.kill('SIGTERM');
    expect(await follower.done).toMatchObject({ code: 130 });
    expect(await watcher.done).toMatchObject({ code: 130 });
  });
});

describe('reeve agents', () => {
  it('shows what is known of one', async () => {
    await newSession();
    const { stdout } = await run(['agents', 'show', 'fake']);
    expect(stdout).toContain('loadSession');
    expect(stdout).toContain('availableModes');
    expect(JSON.parse((await run(['agents', 'show', 'fake', '--json'])).stdout)).toMatchObject({ name: 'fake' });
    expect((await run(['agents', 'show', 'nobody'])).code).toBe(1);
  });

  it('lists and checks', async () => {
    expect((await run(['agents', 'ls'])).stdout).toMatch(/fake \(default\)\s+yes/);
    expect(await run(['agents', 'check', 'fake'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('answered initialize'),
    });
    expect(await run(['agents', 'check', 'nobody'])).toMatchObject({ code: 1 });
  });
});

describe('finding the server', () => {
  it('goes by the data directory, and ends with 7 when none runs and 6 when the token is wrong', async () => {
    const found = await runCli(['agents', 'ls', '--data', reeve.dataDir], { HOME: home });
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('fake') });
    expect(await runCli(['sessions', 'ls'], { HOME: home })).toMatchObject({ code: 7 });
    expect(await run(['sessions', 'ls', '--url', 'http://127.0.0.1:1'])).toMatchObject({ code: 7 });
    const wrong = await runCli(['agents', 'ls', '--data', reeve.dataDir, '--token', 'wrong'], { HOME: home });
    expect(wrong).toMatchObject({ code: 6 });
    expect(await run(['sessions', 'ls', '--token', 'wrong'])).toMatchObject({ code: 6 });
    expect(await run(['run', '--token', 'wrong', 'x'])).toMatchObject({ code: 6 });
    expect(await run(['acp', '--token', 'wrong'])).toMatchObject({ code: 6 });
  });

  it('runs one of its own when none runs', async () => {
    const config = join(home, 'own.json');
    writeFileSync(
      config,
      JSON.stringify({ ...UNCONFINED, dataDir: join(home, 'own'), agents: { fake: fakeAgentCommand() } }),
    );
    const done = await runCli(['run', '--config', config, '--cwd', home, script({ say: 'embedded' })], { HOME: home });
    expect(done).toMatchObject({ code: 0, stdout: 'embedded\n' });
  });

  it('keeps its own server for others that found it, until they leave', async () => {
    const config = join(home, 'shared.json');
    writeFileSync(
      config,
      JSON.stringify({ ...UNCONFINED, dataDir: join(home, 'shared'), agents: { fake: fakeAgentCommand() } }),
    );
    const at = ['--config', config];
    const start = (say: string) =>
      startCli(['run', ...at, '--cwd', home, '--permissions', 'wait', script({ say }, { permission: {} })], {
        HOME: home,
      });
    const allow = async (): Promise<unknown> => {
      const { stdout } = await runCli(['requests', 'ls', ...at, '--json'], { HOME: home });
      const { id } = JSON.parse(stdout.split('\n')[0] ?? '') as { id: string };
      return runCli(['requests', 'answer', id, '--once', ...at], { HOME: home });
    };
    await using first = start('first');
    await expect.poll(() => first.stderr()).toContain('[pending]');
    await using second = start('second');
    await expect.poll(() => second.stderr()).toContain('[pending]');
    await allow();
    await expect.poll(() => first.stderr()).toContain('until they leave');
    await allow();
    expect(await second.done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^second/) });
    expect(await first.done).toMatchObject({ code: 0 });
  });
});

describe('reeve acp', () => {
  const newSessionLine = (id: string): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"session/new","params":{"cwd":"${home}","mcpServers":[]}}\n`;
  const initialize =
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}\n';

  it('carries ACP and nothing else, and ends with its input', async () => {
    await using bridge = startCli(['acp', '--agent', 'fake'], env);
    bridge.write(initialize);
    await expect.poll(() => bridge.stdout()).toContain('protocolVersion');
    bridge.write(newSessionLine('"s"'));
    bridge.end();
    const { code, stdout, stderr } = await bridge.done;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.find(({ id }) => id === 's')?.result.sessionId).toEqual(expect.any(String));
  });

  it('answers what is open and ends with 7 when the server goes away', async () => {
    await using server = await startReeve();
    await using bridge = startCli(['acp'], { HOME: home, REEVE_URL: server.url, REEVE_TOKEN: server.token });
    bridge.write(initialize);
    await expect.poll(() => bridge.stdout()).toContain('protocolVersion');
    bridge.write(newSessionLine('1'));
    await expect.poll(() => bridge.stdout()).toContain('sessionId');
    const sessionId = /"sessionId":"([^"]+)"/.exec(bridge.stdout())?.[1];
    const prompt = [{ type: 'text', text: script({ say: 'begun' }, { untilCancel: true }) }];
    bridge.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'session/prompt', params: { sessionId, prompt } })}\n`,
    );
    await expect.poll(() => bridge.stdout()).toContain('begun');
    await server.kill('SIGKILL');
    const { code, stdout } = await bridge.done;
    expect(code).toBe(7);
    expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      id: 'p',
      error: { data: { next: expect.stringContaining('session/load') } },
    });
  });
});

describe('reeve console', () => {
  it('prints the link that signs in to the console of the running server', async () => {
    const link = `${reeve.url}/#token=${reeve.token}`;
    const at = ['--url', reeve.url, '--token', reeve.token];
    const shown = await runCli(['console', ...at], { HOME: home });
    expect(shown).toMatchObject({ code: 0, stdout: `${link}\n` });
    expect(shown.stderr).toContain('Open it in a browser');
    const { stdout } = await runCli(['console', ...at, '--json'], { HOME: home });
    expect(JSON.parse(stdout)).toEqual({ url: `${reeve.url}/`, link });
    const wrong = await runCli(['console', '--url', reeve.url, '--token', 'wrong'], { HOME: home });
    expect(wrong).toMatchObject({ code: 6, stdout: '' });
    const none = await runCli(['console', '--data', mkdtempSync(join(home, 'empty-'))], { HOME: home });
    expect(none).toMatchObject({ code: 7, stderr: expect.stringContaining('reeve serve') });
  });
});

describe('reeve serve', () => {
  it('says where it listens and what it found, and ends decently', async () => {
    const config = join(home, 'serve.json');
    writeFileSync(
      config,
      JSON.stringify({
        ...UNCONFINED,
        port: 0,
        dataDir: join(home, 'served'),
        agents: { fake: fakeAgentCommand(), gone: { command: 'no-such-program' } },
      }),
    );
    await using server = startCli(['serve', '--config', config], { HOME: home });
    await expect.poll(() => server.stdout()).toContain('declared, not enforced');
    expect(server.stdout()).toMatch(/^Reeve listens on http:\/\/127\.0\.0\.1:\d+\n/);
    expect(server.stdout()).toMatch(/console +http:\/\/127\.0\.0\.1:\d+\/ /);
    expect(server.stdout()).toMatch(/agents +fake \(default\)\n/);
    expect(server.stdout()).toContain('gone cannot be started');
    server.kill('SIGTERM');
    const ending = 'reeve: SIGTERM: ending turns and agents (a second signal ends at once)\n';
    expect(await server.done).toMatchObject({ code: 0, stderr: ending });
    await using second = startCli(['serve', '--config', config, '--json'], { HOME: home });
    await expect.poll(() => second.stdout()).toMatch(/^\{"url":"http:.*","token":".*"\}\n$/);
    second.kill('SIGINT');
    expect(await second.done).toMatchObject({ code: 0 });
    expect(second.stderr()).toContain('"listening"');
  });

  it.each([
    ['--log-level', ['--log-level', 'info'], {}],
    ['REEVE_LOG_LEVEL', [], { REEVE_LOG_LEVEL: 'info' }],
    ['log.level of the file', ['--config', 'level.json'], {}],
  ])('shows its log beside the banner when %s says so', async (_what, args, variables) => {
    writeFileSync(join(home, 'level.json'), JSON.stringify({ log: { level: 'info' } }));
    const at = args.map((arg) => (arg === 'level.json' ? join(home, arg) : arg));
    const data = mkdtempSync(join(home, 'log-'));
    await using server = startCli(['serve', '--port', '0', '--data', data, ...at], { HOME: home, ...variables });
    await expect.poll(() => server.stdout()).toContain('bounds   ');
    expect(server.stderr()).toContain('"listening"');
  });

  it('says what is wrong with the configuration, or with the port', async () => {
    const config = join(home, 'wrong.json');
    writeFileSync(config, '{"prot": 1}');
    const wrong = await runCli(['serve', '--config', config], { HOME: home });
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Did you mean "port"?') });
    const { port } = new URL(reeve.url);
    const taken = await runCli(['serve', '--port', port], { HOME: home });
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('--port 0') });
    expect(await runCli(['serve', '--port', 'x'], { HOME: home })).toMatchObject({ code: 2 });
    expect(await runCli(['serve', '--no-auth', '--host', '0.0.0.0'], { HOME: home })).toMatchObject({ code: 2 });
  });
});
