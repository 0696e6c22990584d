import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { script } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOW_MS } from './reeve-lab.ts';
import { openShellLab, type ShellLab } from './shell-lab.ts';

const FILES_SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

let lab: ShellLab;
beforeAll(async () => {
  lab = await openShellLab({ directories: ['project'], config: () => ({ agentServices: 'always' }) });
}, SLOW_MS);
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('a root that holds the data of the server', { timeout: SLOW_MS }, () => {
  const token = () => join(lab.reeve.dataDir, 'token');
  const around = () => ({ path: dirname(lab.reeve.dataDir), access: 'rw' });
  const beside = () => join(around().path, 'reeve.json');

  it('is shown to an agent without it', async () => {
    const session = await lab.open([around()]);
    const said = await lab.run(session, `cat ${beside()}; cat ${token()}; echo x >${token()}`);
    expect(said).toContain('defaultAgent');
    expect(said).toContain('No such file');
    expect(said).not.toContain(lab.reeve.token);
    await lab.api.sessions.close(session);
  });

  it('is served by Reeve itself without it: neither read nor written, whatever leads there', async () => {
    const session = await lab.open([around()], { agent: 'fake' });
    const read = (path: string) => lab.run(session, script({ fsRead: path }));
    expect(await read(beside())).toContain('defaultAgent');
    await lab.attempt(session, script({ fsWrite: { path: join(around().path, 'new'), content: 'x' } }));
    expect(readFileSync(join(around().path, 'new'), 'utf8')).toBe('x');
    for (const path of [token(), join(around().path, 'data', '..', 'data', 'token')]) {
      expect(await read(path).catch(String)).not.toContain(lab.reeve.token);
      await lab.attempt(session, script({ fsWrite: { path, content: 'evil' } }));
      await lab.attempt(session, script({ fsWrite: { path: join(dirname(path), 'new'), content: 'evil' } }));
    }
    expect(readFileSync(token(), 'utf8').trim()).toBe(lab.reeve.token);
    await lab.api.sessions.close(session);
  });

  it('is shown to an MCP server without it', async () => {
    const server = { name: 'files', command: process.execPath, args: [FILES_SERVER, around().path], env: [] };
    const session = await lab.open([around()], { agent: 'fake', mcpServers: [server] });
    await expect.poll(async () => (await lab.api.requests.list({ session })).length, { timeout: 30_000 }).toBe(1);
    await lab.told('servers', 'approve', 'files', '--session', session);
    // A directory with Reeve's own data is dangerous to give: it is never given along with the server.
    await lab.told('roots', 'approve', `${around().path}:ro`, '--server', 'files', '--session', session);
    const call = (path: string) => {
      const params = { name: 'read_text_file', arguments: { path } };
      return lab.run(session, script({ mcp: { server: 'files', method: 'tools/call', params } }));
    };
    await expect.poll(() => call(beside()), { timeout: 30_000 }).toContain('defaultAgent');
    const said = await call(token());
    expect(said).toMatch(/ENOENT|no such file|not exist/i);
    expect(said).not.toContain(lab.reeve.token);
    await lab.api.sessions.close(session);
  });
});
