import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox } from '@reeve/sandbox';
import { expect, it, vi } from 'vitest';
import { loadConfig } from '../config.ts';
import { examineMachine } from './examine-machine.ts';
import { secretsOf } from './secrets-of.ts';

const probe = await probeSandbox();

it('ends when its time is over, says so, and leaves nothing behind', async () => {
  const base = mkdtempSync(join(tmpdir(), 'reeve-examined-'));
  vi.stubEnv('TMPDIR', base);
  try {
    const loaded = loadConfig({ flags: { dataDir: join(base, 'data'), port: 0 }, env: { PATH: '' } });
    if (loaded.kind !== 'ok') throw new Error('the defaults are valid');
    const options = { env: {}, running: undefined, isReeve: async () => false, isNamed: () => false };
    const { verdict, escapes, findings } = await examineMachine(loaded.config, { ...options, budgetMs: 1 });
    expect(escapes).toEqual([]);
    expect(verdict).toBe(probe.usable ? 'partial' : 'declared');
    expect(findings.find(({ id }) => id === 'escapes')?.detail).toMatch(
      probe.usable ? /there was time for 0 attempts/ : /no boundary can be enforced/,
    );
    expect(readdirSync(base)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  }
});

it('looks for the values of variables that are named like secrets', () => {
  expect(
    secretsOf({
      API_TOKEN: 'long-enough-to-tell',
      DATABASE_PASSWORD: 'another-long-value',
      GOOGLE_APPLICATION_CREDENTIALS: '/home/me/file.json',
      SSH_KEY: 'short',
      HOME: '/home/somebody/else',
      LANG: 'a-long-value-of-no-matter',
    }),
  ).toEqual(['long-enough-to-tell', 'another-long-value']);
});
