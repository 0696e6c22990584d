import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

const SERVER = resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

let lab: ConsoleLab;
let folder: string;
let project: string;
let other: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-reviewed-')));
  [project, other] = [join(folder, 'project'), join(folder, 'other')];
  await Promise.all([mkdir(project), mkdir(other)]);
  lab = await openConsoleLab();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

it('lists in a review what policies give without asking, which can be left out there', async () => {
  await using console = await lab.open({});
  const { page } = console;
  const { session } = await lab.api.sessions.create({
    cwd: project,
    mcpServers: [
      {
        name: 'files',
        command: process.execPath,
        args: [SERVER, project, other],
        env: [{ name: 'TOKEN', value: 'x' }],
      },
    ],
    metadata: { boundary: { roots: [{ path: project, access: 'rw' }] } },
  });
  const { sessionId } = session;
  const card = page.getByRole('article').filter({ hasText: 'MCP server “files”' });
  const given = card.getByRole('listitem').filter({ hasText: project });
  await given.getByText('given without asking, by project-to-confined-servers').waitFor();
  expect(await card.innerText()).toMatch(/Variables\s+TOKEN[\s\S]*Network\s+nothing/);
  expect(await axeViolations(page)).toEqual([]);
  await given.getByLabel(`What of ${project} is shown`).selectOption('ro');
  await card.getByRole('button', { name: 'Approve' }).click();
  await card.waitFor({ state: 'detached' });
  const roots = async () => (await lab.api.boundaries.show(sessionId)).servers[0]?.roots;
  await expect.poll(roots).toMatchObject([{ root: { path: project }, access: 'ro' }]);

  await lab.api.boundaries.request(sessionId, { server: 'files', path: other, access: 'ro', scope: 'project' });
  await card
    .getByText('the session and its agent get it too, and keep it until it is taken from the session')
    .waitFor();
  await card.getByText('Asked for every session of this project: a yes gives no more.').waitFor();
  expect(await card.getByLabel('How far it counts').inputValue()).toBe('project');
  expect(await card.getByLabel('How far it counts').getByRole('option').count()).toBe(2);
  await card.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(roots).toMatchObject([{}, { root: { path: other }, access: 'ro' }]);
  expect(await lab.api.grants.list({ scope: 'project' })).toMatchObject([{ path: other, access: 'ro' }]);
});
