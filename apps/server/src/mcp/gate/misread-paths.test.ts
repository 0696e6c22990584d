import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { base, call, lookalike, open, outside, root, textOf } from './gate.rig.ts';

const READING = { claims: { readOnly: true, destructive: false, openWorld: false } } as const;

/** What programs read as different paths, each of them as the resource to read and as an argument of a tool. */
describe('a URI that two programs may read differently', () => {
  it.each([
    'file://',
    `file:${root}/file`,
    `file://localhost${root}/file`,
    `file://host${root}/file`,
    `file://me@${root}/file`,
    `file://${root}/file?x`,
    `file://${root}/file#x`,
    `file://${root}/../outside/file`,
    `file://${root}/%2e%2e/outside/file`,
    `file://${root}/%252e%252e/outside/file`,
    `file://${root}/..%2foutside%2ffile`,
    `file://${root}/%252e%252e%252foutside`,
    `file://${root}/file%00`,
    `file://${root}/file%2500`,
    `file://${root}/file%20`,
    `file://${root}/file.`,
    `file://${root}//file`,
  ])('is passed on nowhere, for a read and for a write, and the refusal says what to send: %s', async (uri) => {
    for (const more of [{}, READING]) {
      const { check, said } = open();
      for (const one of [
        call({}, { ...more, method: 'resources/read', params: { uri } }),
        call({ path: uri }, more),
        call({ list: [{ of: uri }] }, more),
      ])
        expect(textOf(await check(one))).toMatch(/can be read in more than one way .*\. [A-Z].*\.$/);
      expect(said.ended.map(({ outcome, by }) => `${outcome} ${by}`)).toEqual(Array(3).fill('refused gate'));
    }
  });

  it('is none that is read in one way only, and that is outside where it leads outside', async () => {
    const { check, said } = open();
    const read = (uri: string) => check(call({}, { ...READING, method: 'resources/read', params: { uri } }));
    expect((await read(`file://${root}/fi%6Ce`)).kind).toBe('forward');
    for (const uri of ['file:///', `file://${lookalike}/file`, `file://${root}/out/file`, `file://${root}/dangling`])
      expect(textOf(await read(uri))).toContain('It may reach');
    expect(said.alarms.map(({ path, access }) => `${access} ${path}`)).toEqual([
      'ro /',
      `ro ${lookalike}/file`,
      `ro ${outside}/file`,
      `ro ${outside}/new`,
    ]);
  });
});

describe('a name that a file system may take for another one', () => {
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'].map((name) => join(base, name)) as [string, string];
  for (const place of [composed, decomposed]) mkdirSync(place, { recursive: true });
  const granted = (...paths: readonly string[]): readonly BoundaryRoot[] =>
    paths.map((path) => ({ path, access: 'rw' }));

  it.each([
    ['letters in another case', root, join(base, 'ROOT', 'file')],
    ['the other Unicode form', composed, join(decomposed, 'file')],
    ['the other Unicode form, in a URI', decomposed, `file://${base}/caf%C3%A9/file`],
    ['a space at its end', root, `${root} /file`],
    ['a dot at its end', root, `${root}./file`],
  ])('is not the root by %s', async (_, path, named) => {
    const { check } = open({ roots: granted(path) });
    for (const more of [{}, READING]) {
      expect(textOf(await check(call({ path: named }, more)))).toContain(`It may reach ${path} (rw)`);
      expect((await check(call({ path: join(path, 'file') }, more))).kind).toBe('forward');
    }
  });

  it('is not the root around it either, where a nested root may be meant', async () => {
    const nested = join(root, 'Nested');
    mkdirSync(nested, { recursive: true });
    writeFileSync(join(nested, 'file'), 'text');
    const { check } = open({
      roots: [
        { path: root, access: 'rw' },
        { path: nested, access: 'ro' },
      ],
    });
    expect((await check(call({ path: 'Nested/file' }))).kind).toBe('forward');
    expect((await check(call({ path: 'nested/file' }))).kind).toBe('refuse');
    expect((await check(call({ path: 'nest/file' }))).kind).toBe('forward');
  });
});
