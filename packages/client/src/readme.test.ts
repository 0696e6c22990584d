import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectReeve } from './index.ts';

const execute = promisify(execFile);
const home = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(home, 'README.md'), 'utf8');
/** Code of the page, by language and file. */
const blocks = [...readme.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, language, file, code]) => ({
  language,
  file: file ?? '',
  code: code ?? '',
}));
const examples = blocks.filter(({ file }) => file !== '');

let server: SpawnedReeve;
beforeAll(async () => {
  server = await startReeve();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Runs an example as a program of its own; gives what it printed. */
async function run(file: string): Promise<string> {
  const { stdout } = await execute(process.execPath, [join(home, file), server.url, server.token], { timeout: 60_000 });
  return stdout.trim();
}

describe('the README of the SDK', () => {
  it('shows its examples as they are in the sources', () => {
    expect(examples.length).toBeGreaterThan(5);
    for (const { file, code } of examples) expect(code, file).toBe(readFileSync(join(home, file), 'utf8'));
  });

  it('has examples that run', async () => {
    const reeve = connectReeve(server);
    expect(await run('src/examples/drive-a-session.ts')).toContain('end_turn');
    expect(await run('src/examples/follow-a-session.ts')).toMatch(/agent turn_end$/);
    expect(await run('src/examples/read-a-timeline.ts')).toContain('user: Say hello');
    expect(await run('src/examples/speak-acp.ts')).toMatch(/^connected[\s\S]*agent_message_chunk[\s\S]*end_turn/);
    const { session } = await reeve.sessions.create({ cwd: tmpdir() });
    await reeve.sessions.beginPrompt(session.sessionId, { prompt: script({ permission: {} }) });
    await expect.poll(async () => (await reeve.requests.list()).length).toBe(1);
    expect(await run('src/examples/watch-the-inbox.ts')).toContain('live 1');
    expect(await run('src/examples/answer-what-waits.ts')).toContain('answered');
    expect(await reeve.requests.list()).toEqual([]);
  });

  it('has a page in React that renders', async () => {
    const { transformWithOxc } = await import('vite');
    const page = blocks.find(({ language }) => language === 'tsx')?.code ?? '';
    const { code } = await transformWithOxc(page, 'page.tsx', { jsx: { runtime: 'automatic' } });
    const place = await mkdtemp(join(tmpdir(), 'reeve-readme-'));
    try {
      const modules = dirname(dirname(createRequire(import.meta.url).resolve('react/package.json')));
      await symlink(modules, join(place, 'node_modules'));
      vi.stubGlobal('location', { origin: server.url });
      vi.stubGlobal('sessionStorage', { getItem: () => server.token });
      const file = join(place, 'page.mjs');
      await writeFile(file, code);
      const { Page } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { Page: () => never };
      const { createElement } = await import('react');
      const { renderToString } = await import('react-dom/server');
      expect(renderToString(createElement(Page))).toBe('<ul></ul>');
    } finally {
      vi.unstubAllGlobals();
      await rm(place, { recursive: true, force: true });
    }
  });
});

describe('the SDK', () => {
  it('has nothing of Node, so that browsers can load it', () => {
    const top = resolve(home, '..');
    const files = globSync(['client/src/**/*.ts', 'protocol/src/**/*.ts'], { cwd: top }).filter(
      (file) => !/\.(test|rig)\.ts$|examples\//.test(file),
    );
    expect(files.length).toBeGreaterThan(50);
    const wrong = files.filter((file) => {
      const text = readFileSync(join(top, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      return /from 'node:|import\('node:|\bprocess\.(?:env|argv|on|exit|nextTick|platform|stdout)\b|\brequire\(|\bsetImmediate\b|__dirname/.test(
        text,
      );
    });
    expect(wrong).toEqual([]);
  });
});
