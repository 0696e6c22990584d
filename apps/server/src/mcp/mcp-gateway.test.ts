import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connectByShim, EVERYTHING, FILESYSTEM, type GatewayRigOptions, openGateway } from './gateway.rig.ts';

const opened: AsyncDisposable[] = [];
const SOON = { interval: 5 };

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: GatewayRigOptions) {
  const rig = await openGateway(options);
  opened.push(rig);
  return rig;
}

async function connect(...args: Parameters<typeof connectByShim>) {
  const client = await connectByShim(...args);
  opened.push({ [Symbol.asyncDispose]: () => client.close() });
  return client;
}

describe('an agent and a server of the older era', () => {
  it('speak through the gateway as they do without it', async () => {
    const rig = await open({ args: [EVERYTHING, 'stdio'] });
    const client = await connect(rig.entry);
    expect(client.getServerVersion()).toMatchObject({ name: 'mcp-servers/everything' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hello' }],
    });
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect(rig.gated.map(({ method }) => method)).toEqual(['tools/call']);
    expect(rig.servers.servers()[0]).toMatchObject({ state: 'running', era: 'initialize', restarts: 0 });
  });

  it('has the roots of the boundary, whatever the agent would say of its own', async () => {
    const base = await mkdtemp(join(tmpdir(), 'reeve-roots-'));
    opened.push({ [Symbol.asyncDispose]: () => rm(base, { recursive: true }) });
    await writeFile(join(base, 'a.txt'), 'inside');
    const rig = await open({ args: [FILESYSTEM], roots: [{ path: base, access: 'rw' }] });
    const client = await connect(rig.entry, { roots: { listChanged: true } });
    let asked = 0;
    client.setRequestHandler('roots/list', () => {
      asked += 1;
      return { roots: [{ uri: 'file:///' }] };
    });
    // The reference server looks at its new roots after it was told them, and answers calls meanwhile.
    const allowed = async () => (await client.callTool({ name: 'list_allowed_directories', arguments: {} })).content;
    await expect.poll(allowed, SOON).toMatchObject([{ text: `Allowed directories:\n${base}` }]);
    await expect.poll(() => rig.rootsTold, SOON).toEqual([1]);
    expect(asked).toBe(0);
  });
});
