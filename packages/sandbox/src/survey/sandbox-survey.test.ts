import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { probeSandbox } from '../sandbox-probe.ts';
import { surveySandbox } from './sandbox-survey.ts';

it('tells of every backend whether it works here, and if not, why', async () => {
  const survey = await surveySandbox();
  expect(survey.backends.map(({ backend }) => backend)).toEqual(['bubblewrap', 'container', 'seatbelt', 'landlock']);
  for (const { backend, usable, reason } of survey.backends) expect(reason === undefined, backend).toBe(usable);
  const bubblewrap = survey.backends[0];
  expect(bubblewrap?.usable).toBe((await probeSandbox()).usable);
  if (bubblewrap?.usable) expect(bubblewrap.found).toMatch(/^\d+\.\d+.*, \/.*bwrap$/);
  expect(survey.limits.wallMs).toBe('watchdog');
});

it('asks a configured container engine', async () => {
  const base = mkdtempSync(join(tmpdir(), 'reeve-survey-'));
  try {
    const program = join(base, 'docker');
    writeFileSync(program, '#!/bin/sh\necho held\n');
    chmodSync(program, 0o755);
    const engine = { kind: 'docker', program, image: 'agents', env: { PATH: '/usr/bin:/bin' } } as const;
    const container = async (found: typeof engine) =>
      (await surveySandbox(found)).backends.find(({ backend }) => backend === 'container');
    expect(await container(engine)).toMatchObject({ usable: true, found: 'docker held' });
    writeFileSync(program, '#!/bin/sh\necho "no daemon" >&2; exit 1\n');
    expect(await container(engine)).toMatchObject({
      usable: false,
      reason: expect.stringContaining('no daemon'),
      nextStep: expect.stringContaining('Docker'),
    });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
