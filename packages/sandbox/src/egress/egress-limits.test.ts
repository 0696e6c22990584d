import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createProcessHolder } from '../process-holder.ts';
import { defaultEgressLimits, egressLimitsWith } from './egress-limits.ts';

it('limits of the network are the default ones but for those that are given', () => {
  expect(egressLimitsWith({})).toEqual(defaultEgressLimits);
  expect(egressLimitsWith({ maxLookups: 1, maxConnections: undefined })).toEqual({
    ...defaultEgressLimits,
    maxLookups: 1,
  });
});

it('limits of the network are those of the holder for each of its processes', async (test) => {
  await using holder = createProcessHolder({ egressLimits: egressLimitsWith({ maxHeaderBytes: 1024 }) });
  if (!(await holder.probe()).usable) test.skip('no sandbox works here');
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-egress-limits-')));
  test.onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const script = `require('node:net').connect(3128, '127.0.0.1').on('data', (answer) => console.log(String(answer).split('\\r\\n')[0]))
    .end('CONNECT a.test:443 HTTP/1.1\\r\\nHost: a.test\\r\\nX: ' + 'x'.repeat(2000) + '\\r\\n\\r\\n')`;
  const started = await holder.start({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    cwd: root,
    profile: {
      roots: [{ path: root, access: 'rw' }],
      readOnly: [process.execPath],
      home: { path: '/home/agent' },
      state: [],
      files: [],
      sockets: [],
      network: { allow: ['a.test'] },
      limits: {},
    },
  });
  if (started.kind === 'failed') throw new Error(started.message);
  await using process_ = started.process;
  expect(await text(process_.stdout)).toContain('431');
});
