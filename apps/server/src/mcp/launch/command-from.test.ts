import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commandFrom } from './command-from.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-command-')));
const [from, sub] = [join(base, 'from'), join(base, 'from', 'sub')];
mkdirSync(sub, { recursive: true });
symlinkSync(sub, join(from, 'link'));
for (const name of ['serve', 'server.mjs', 'notes']) writeFileSync(join(from, name), '');
afterAll(() => rmSync(base, { recursive: true, force: true }));

it.each([
  ['./sub', sub],
  ['sub/', sub],
  ['.', from],
  ['..', base],
  ['./link', sub],
  ['--root=./sub', `--root=${sub}`],
  ['-r=../from', `-r=${from}`],
  ['server.mjs', join(from, 'server.mjs')],
  ['./sub/../notes', join(from, 'notes')],
])('names what is there by its place: %s', (word, expected) => {
  expect(commandFrom({ command: 'x', args: ['a', word] }, from)).toEqual({ command: 'x', args: ['a', expected] });
});

it.each([
  'sub',
  'notes',
  'serve',
  './nowhere',
  'nowhere.js',
  '--sub',
  '--root',
  '--root=',
  '',
  '/absent/place',
  '--x=a=./sub',
  'https://x/sub',
])('leaves alone what is no path, or leads nowhere: %j', (word) => {
  expect(commandFrom({ command: 'serve', args: [word] }, from)).toEqual({ command: 'serve', args: [word] });
});

it('names a program by its place, unless it is looked up', () => {
  expect(commandFrom({ command: './serve', args: [] }, from).command).toBe(join(from, 'serve'));
  expect(commandFrom({ command: './nowhere', args: [] }, from).command).toBe('./nowhere');
});
