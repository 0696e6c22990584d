import { describe, expect, it } from 'vitest';
import { bareProfile } from './bare-profile.ts';
import { bubblewrapWorks } from './bubblewrap/host-client.rig.ts';
import { createProcessHolder } from './index.ts';
import { probeSandbox } from './sandbox-probe.ts';

const launch = { command: '/bin/cat', args: [], env: {}, cwd: '/' };
const profile = bareProfile();

describe('the probe of the sandbox', () => {
  it.runIf(bubblewrapWorks)('finds what works by running it (needs bubblewrap and user namespaces)', async () => {
    expect(await probeSandbox()).toMatchObject({ backend: 'bubblewrap', usable: true, contains: true });
  });

  it.skipIf(bubblewrapWorks)('says why nothing works, and what to do', async () => {
    const probe = await probeSandbox();
    expect(probe).toMatchObject({ backend: 'none', usable: false });
    expect([probe.reason, probe.nextStep]).toEqual([expect.any(String), expect.any(String)]);
  });
});

describe('a holder whose sandbox is switched off', () => {
  it('starts nothing that must be enforced', async () => {
    await using holder = createProcessHolder({ sandbox: 'none' });
    const answer = await holder.start({ ...launch, profile });
    expect(answer).toMatchObject({ kind: 'failed', reason: 'no-sandbox' });
    expect(answer.kind === 'failed' && answer.message).toContain('Set "sandbox.backend" to "auto"');
  });

  it('starts what may be only declared, and says that nothing confines it', async () => {
    await using holder = createProcessHolder({ sandbox: 'none' });
    const answer = await holder.start({ ...launch, profile, require: 'declared' });
    if (answer.kind === 'failed') throw new Error(answer.message);
    expect(answer.process.enforcement).toMatchObject({ backend: 'none', fs: 'declared' });
    expect(answer.process.enforcement.gaps.length).toBe(4);
  });
});
