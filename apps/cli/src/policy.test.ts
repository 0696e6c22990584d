import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_POLICY, POLICY_SCHEMA } from '@reeve/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliRun, runCli } from './cli.rig.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'reeve-policy-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<CliRun> => runCli(['policy', ...args], { HOME: home });

function file(name: string, text: string): string {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
}

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/policy.md'), 'utf8');

/** The first code block of the page after the mark `<!-- name -->`. */
function block(name: string): string {
  return page.split(`<!-- ${name} -->`)[1]?.split(/```\w*\n/)[1] ?? '';
}

const facts = JSON.parse(block('facts') || '{}');

describe('reeve policy check', () => {
  it('ends with 0 for policies that are right, and says their hash', async () => {
    const { code, stdout } = await run('check', file('default.cedar', DEFAULT_POLICY));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^11 policies are right, sha256:\w{64}\n$/),
    });
  });

  it('tells each fault with its place and next step, and ends with 2', async () => {
    const right = file('right.cedar', '@id("a") permit (principal, action, resource);');
    const wrong = file(
      'wrong.cedar',
      '// a note\n@id("b") permit (principal is Server, action, resource) when { principal.remote };',
    );
    const { code, stdout, stderr } = await run('check', right, wrong);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^\S+wrong\.cedar:2:64: error: attribute `remote` .* Did you mean .*\n$/);
    expect(stderr).toBe('reeve: the policies are wrong in 1 place\n');
    const { stdout: json } = await run('check', '--json', wrong);
    expect(JSON.parse(json)).toEqual({
      ok: false,
      problems: [expect.objectContaining({ file: wrong, line: 2, column: 64 })],
    });
  });

  it('says which file cannot be read', async () => {
    expect(await run('check', join(home, 'none.cedar'))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/none\.cedar is not there\n {2}next: /),
    });
    writeFileSync(join(home, 'bytes.cedar'), new Uint8Array([0xff, 0xfe]));
    expect((await run('check', join(home, 'bytes.cedar'))).stderr).toContain('it is no UTF-8 text');
  });
});

describe('reeve policy test', () => {
  const recorded = (outcome: string): string => `${JSON.stringify({ facts, outcome })}\n`;

  it('ends with 0 when every decision comes out as recorded', async () => {
    const { code, stdout } = await run('test', '--decisions', file('same.jsonl', recorded('ask_user')));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 decisions, all as before\n' });
  });

  it('shows what would change and ends with 1, with --accept with 0', async () => {
    const decisions = file('other.jsonl', recorded('allow') + recorded('ask_user'));
    const differing = await run('test', '--decisions', decisions);
    expect(differing.code).toBe(1);
    expect(differing.stdout).toMatch(/\n1 +expose_root +allow +ask_user +tighter +ask\n2 decisions, 1 otherwise\n$/);
    expect(differing.stderr).toMatch(/1 of 2 decisions differ\n {2}next: /);
    expect(await run('test', '--accept', '--json', '--decisions', decisions)).toMatchObject({ code: 0 });
  });

  it('ends with 2 for lines that hold no decision', async () => {
    const { code, stdout } = await run(
      'test',
      '--decisions',
      file('bad.jsonl', `${recorded('allow')}{}\n`),
      '--accept',
    );
    expect(code).toBe(2);
    expect(stdout).toContain('line 2: outcome is none. ');
    const many = await run('test', '--decisions', file('many.jsonl', '{}\n'.repeat(102)));
    expect(many.code).toBe(2);
    expect(many.stdout.match(/outcome is none/g)).toHaveLength(1);
    expect(many.stdout).toContain('102 lines, the first is 1: outcome is none. ');
  });

  it('ends with 2 for a file that holds no decision at all, and says where one comes from', async () => {
    expect(await run('test', '--decisions', file('empty.jsonl', ''))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/holds no decision\n {2}next: .*audit export --format decisions/),
    });
  });
});

describe('reeve policy explain', () => {
  it('says outcome, policies, reasons and what would change it', async () => {
    const { code, stdout } = await run('explain', '--facts', file('facts.json', JSON.stringify(facts)));
    expect(code).toBe(0);
    expect(`$ reeve policy explain --facts facts.json\n${stdout}`).toBe(block('explained'));
  });

  it('prints the same as one object with --json', async () => {
    const { stdout } = await run('explain', '--json', '--facts', file('facts.json', JSON.stringify(facts)));
    expect(JSON.parse(stdout)).toMatchObject({ decision: { outcome: 'ask_user' }, differences: expect.any(Array) });
  });

  it('says what is wrong with facts', async () => {
    const { code, stderr } = await run('explain', '--facts', file('odd.json', '{"kind":"expose_root"}'));
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /odd\.json holds no facts:\n {2}user: expected object\. Send an object of id, administrator\.\n/,
    );
  });
});

describe('the page about policies', () => {
  it('shows the shipped policy and the schema as they are printed', async () => {
    expect((await run('default')).stdout).toBe(DEFAULT_POLICY);
    expect((await run('schema')).stdout).toBe(POLICY_SCHEMA);
    expect(block('default')).toBe(DEFAULT_POLICY);
    expect(block('schema')).toBe(POLICY_SCHEMA);
  });

  it('has examples that are right, beside the shipped policy', async () => {
    const examples = block('examples');
    expect(examples).not.toBe('');
    const { code, stdout } = await run(
      'check',
      file('default.cedar', DEFAULT_POLICY),
      file('examples.cedar', examples),
    );
    expect(stdout).toMatch(/^\d+ policies are right/);
    expect(code).toBe(0);
  });
});
