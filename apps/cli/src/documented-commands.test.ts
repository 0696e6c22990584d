import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from './create-program.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

function leaves(command: Command, name: string): string[] {
  const children = command.commands as readonly Command[];
  return children.length === 0 ? [name] : children.flatMap((child) => leaves(child, `${name} ${child.name()}`.trim()));
}

it('has every command in docs/cli.md', async () => {
  const terminal = { text() {}, line() {}, json() {}, raw() {}, note() {}, interactive: false };
  const program = await createProgram({ terminal, takeInterrupt: () => new AbortController().signal }, []);
  const missing = leaves(program, '').filter((name) => !new RegExp(`(\`|reeve |## )${name}\\b`).test(page));
  expect(missing).toEqual([]);
});
