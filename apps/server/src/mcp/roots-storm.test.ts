import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { FILESYSTEM, type GatewayRigOptions, openGateway, scripted, socketOf } from './gateway.rig.ts';
import { connectRaw, type WireMessage } from './raw-agent.rig.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-storm-')));
const [kept, more] = [join(base, 'kept'), join(base, 'more')];
for (const place of [kept, more]) mkdirSync(place);
const roots = (...paths: readonly string[]): readonly BoundaryRoot[] => paths.map((path) => ({ path, access: 'rw' }));

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function open(options: GatewayRigOptions) {
  const rig = await openGateway({ roots: roots(kept), ...options });
  opened.push(rig);
  const agent = await connectRaw(socketOf(rig));
  opened.push(agent);
  await agent.open();
  return { rig, agent };
}

const textOf = ({ result }: WireMessage) => (result?.content as { text: string }[] | undefined)?.[0]?.text ?? '';

describe('a storm of changes of the roots', () => {
  it('reaches the reference server of files as what they are in the end, and holds up no other server', async () => {
    const CHANGES = 1001;
    const { rig, agent } = await open({ args: [FILESYSTEM, kept] });
    const calm = await open({ args: scripted() });
    let left = CHANGES;
    const storm = Promise.all(
      Array.from({ length: CHANGES }, async (_, index) => {
        await rig.become(index % 2 === 0 ? roots(kept, more) : roots(kept));
        left -= 1;
      }),
    );
    const took: number[] = [];
    do {
      const began = performance.now();
      await calm.agent.call('echo');
      took.push(performance.now() - began);
    } while (left > 0 || took.length < 50);
    await storm;
    const allowed = async () =>
      textOf(await agent.call('list_allowed_directories'))
        .split('\n')
        .slice(1);
    await expect.poll(allowed, { timeout: 20_000 }).toEqual([kept, more]);
    expect(rig.rootsTold.at(-1)).toBe(CHANGES + 1);
    expect(rig.processes).toHaveLength(1);
    expect(took.toSorted((one, other) => one - other)[Math.floor(took.length / 2)]).toBeLessThan(100);
  });

  it('that each need another process is over with few of them, and the last has the roots of the end', async () => {
    const { rig, agent } = await open({ args: scripted(), mustReplace: true });
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => rig.become(index % 2 === 0 ? roots(kept, more) : roots(kept))),
    );
    expect(rig.processes.length).toBeLessThan(10);
    expect(JSON.parse(textOf(await agent.call('roots')))).toEqual({ roots: [{ uri: `file://${kept}` }] });
    expect(textOf(await agent.call('count'))).toBe(`${rig.processes.at(-1)?.pid} 1`);
  });
});
