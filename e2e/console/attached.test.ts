import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

// A browser and a server are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('the head of a session', () => {
  it('shows who is attached and who reads along, and who comes and goes meanwhile', async () => {
    const id = await lab.session('Watched');
    await using console = await lab.open({ path: `/sessions/${id}`, width: 360 });
    const { page } = console;
    const button = page.getByRole('button', { name: /^Who is attached/ });
    await button.focus();
    await page.keyboard.press('Enter');
    const list = page.getByRole('list', { name: 'Who is attached' });
    await list.getByText('reeve-console 0.1.0').waitFor();
    await using acp = await lab.api.openAcp({ clientInfo: { name: '<i>zed</i>\u202e', version: '1.2' } });
    await acp.resumeSession({ sessionId: id, cwd: '/tmp' });
    const item = list.getByRole('listitem').filter({ hasText: '<i>zed</i>⟨U+202E⟩ 1.2' });
    await item.getByText('ACP over a WebSocket, may act').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    acp.close();
    await item.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(console.faults).toEqual([]);
  });
});
