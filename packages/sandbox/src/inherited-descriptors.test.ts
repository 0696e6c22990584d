import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const hostScript = `
import { createProcessHolder } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
await using holder = createProcessHolder();
const args = ['-c', 'for fd in /proc/$$/fd/*; do readlink $fd; done'];
const { process: held } = await holder.start({ command: '/bin/sh', args, env: { PATH: '/usr/bin:/bin' }, cwd: '/' });
for await (const chunk of held.stdout) process.stdout.write(chunk);
`;

it.runIf(process.platform === 'linux')(
  'hides from children a descriptor that the server was started with',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reeve-descriptor-'));
    const secret = openSync(join(directory, 'secret'), 'w');
    try {
      // Beyond the low descriptors, which Node closes to children by itself.
      const gap = Array.from({ length: 37 }, () => 'ignore' as const);
      const stdio = ['ignore', 'pipe', 'inherit', ...gap, secret] as const;
      const host = spawn(process.execPath, ['--input-type=module', '-e', hostScript], { stdio: [...stdio] });
      if (host.stdout === null) throw new Error('no output to read');
      const targets = await text(host.stdout);
      expect(targets).toContain('socket:');
      expect(targets).toContain('/dev/null');
      expect(targets).not.toContain('secret');
    } finally {
      closeSync(secret);
      rmSync(directory, { recursive: true });
    }
  },
);
