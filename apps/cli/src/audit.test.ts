import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startCli } from './cli.rig.ts';

const asks = script(
  { permission: { title: 'write', options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] } },
  { say: 'done' },
);

let home: string;
let reeve: SpawnedReeve;
let env: Record<string, string>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'reeve-cli-audit-'));
  reeve = await startReeve();
  env = { HOME: home, REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token };
  await runCli(['run', '--permissions', 'allow', '--cwd', home, asks], env);
});
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

const audit = (...args: readonly string[]) => runCli(['audit', ...args], env);
const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('reeve audit', () => {
  it('shows what was decided, newest last, and finds it again by kind, decision and directory', async () => {
    const tail = await audit('tail');
    expect(tail.code).toBe(0);
    expect(tail.stdout).toMatch(/^RECORD +TIME +KIND/);
    expect(tail.stdout.indexOf('server.started')).toBeLessThan(tail.stdout.indexOf('request.answered'));
    expect(tail.stdout).not.toContain(home);
    for (const filter of [
      ['--decision', 'allow'],
      ['--kind', 'request.answered', '--since', '2020-01-01'],
    ]) {
      const { stdout } = await audit('search', '--json', ...filter);
      expect(jsonLines(stdout)).toMatchObject([
        { kind: 'request.answered', decision: 'allow', by: expect.any(String) },
      ]);
    }
    const under = jsonLines((await audit('search', '--json', '--under', home)).stdout);
    expect(under.map(({ kind }) => kind)).toEqual(['boundary.set', 'agent.started']);
    expect((await audit('search', '--kind', 'egress.denied')).stderr).toBe('no record\n');
    expect((await audit('search', '--kind', 'request.answered', '--since', '1h')).stdout).toContain('request.answered');
    expect((await audit('search', '--kind', 'request.answered', '--until', '1h')).stderr).toBe('no record\n');
    expect(await audit('search', '--since', 'soon')).toMatchObject({ code: 2 });
    for (const [option, word, expected] of [
      ['--kind', 'request.nosuch', /request\.answered, request\.asked/],
      ['--decision', 'maybe', /ask_user/],
    ] as const) {
      expect(await audit('search', option, word)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(expected),
      });
    }
  });

  it('finds all that followed from one cause, and no more', async () => {
    const [asked] = jsonLines((await audit('search', '--json', '--kind', 'request.asked')).stdout);
    const found = jsonLines((await audit('search', '--json', '--trace', asked.trace)).stdout);
    expect(found.map(({ kind }) => kind)).toEqual(['request.asked', 'request.answered']);
    expect((await audit('tail')).stdout).toContain(asked.trace);
    expect((await audit('search', '--trace', '1'.repeat(32))).stderr).toBe('no record\n');
    const wrong = await audit('search', '--trace', 'x');
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('32 lower-case hex digits');
  });

  it('follows what comes', async () => {
    await using tail = startCli(['audit', 'tail', '--follow', '--limit', '1', '--json'], env);
    await expect.poll(() => tail.stdout()).not.toBe('');
    await runCli(['run', '--cwd', home, script({ say: 'x' })], env);
    await expect.poll(() => tail.stdout()).toContain('"session.created"');
    tail.kill('SIGINT');
    expect(await tail.done).toMatchObject({ code: 130 });
  });

  it('exports what it can check without a server, and says which record somebody changed', async () => {
    const file = join(home, 'export.jsonl');
    const kept = join(home, 'checkpoint');
    const alone = { HOME: home };
    expect(await audit('export', '--out', file)).toMatchObject({ code: 0, stdout: '' });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect((await audit('export', '--out', file)).code).toBe(1);
    const key = (await audit('keys', 'show')).stdout.trim();
    const unasked = await runCli(['audit', 'verify', file], alone);
    expect(unasked.stdout).toMatch(
      /\nits own checkpoint covers \d+ records\nthe key is the one that the log itself names/,
    );
    const intact = await runCli(['audit', 'verify', file, '--key', key], alone);
    expect(intact).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/nothing was changed, removed, moved or cut/),
    });
    expect(intact.stdout).toMatch(/\na checkpoint that a trusted key signed covers \d+ records\n/);

    writeFileSync(kept, (await audit('checkpoint')).stdout);
    const text = readFileSync(file, 'utf8');
    const lines = text.trimEnd().split('\n');
    writeFileSync(file, text.replace('"decision":"allow"', '"decision":"deny"'));
    const changed = await runCli(['audit', 'verify', file, '--key', key], alone);
    expect(changed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/record \d+ \(request.answered.*was changed/),
    });
    const short = `${lines.slice(0, -3).join('\n')}\n`;
    const cut = await runCli(['audit', 'verify', '-', '--key', key, '--checkpoint', kept, '--json'], alone, short);
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.stdout)).toMatchObject({ kind: 'damaged', problems: [{ kind: 'cut' }] });
    const nothing = await runCli(['audit', 'verify', '-'], alone, 'nothing of ours\n');
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringMatching(/make one with "reeve audit export"/) });
  });

  it('has the server check its own log, reveals paths, and changes the key', async () => {
    expect(await audit('verify')).toMatchObject({ code: 0 });
    const [{ seq }] = jsonLines((await audit('search', '--json', '--kind', 'boundary.set', '--limit', '1')).stdout);
    expect((await audit('reveal', String(seq))).stdout).toContain(home);
    expect(await audit('reveal', '0')).toMatchObject({ code: 1, stderr: expect.stringMatching(/about no path/) });
    const before = (await audit('keys', 'show')).stdout;
    const after = (await audit('keys', 'rotate')).stdout;
    expect(after).not.toBe(before);
    expect((await audit('keys', 'show')).stdout).toBe(after);
    expect(await audit('verify', '--key', before.trim())).toMatchObject({ code: 0 });
  });
});
