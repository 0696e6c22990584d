import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const module = fileURLToPath(new URL('./interrupts.ts', import.meta.url));
const program = `
  const { listenForInterrupts } = await import(${JSON.stringify(module)});
  const { signal } = listenForInterrupts();
  signal.addEventListener('abort', () => console.log(signal.reason.signal));
  setInterval(() => {}, 1000);
  console.log('ready');
`;

/** Runs the listener in a process with a channel, and tells what it printed and how it ended. */
async function ending(act: (child: ReturnType<typeof spawn>, said: (text: string) => Promise<void>) => Promise<void>) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const said = (text: string) => expect.poll(() => output).toContain(text);
  try {
    await said('ready');
    await act(child, said);
    return { code: await ended, output };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('signals', () => {
  it('ask for an end first, and end at once the second time', async () => {
    const { code } = await ending(async (child, said) => {
      child.kill('SIGTERM');
      await said('SIGTERM');
      child.kill('SIGINT');
    });
    expect(code).toBe(130);
  });

  it('count once when they come both directly and over the channel', async () => {
    const { code, output } = await ending(async (child, said) => {
      child.kill('SIGINT');
      child.send({ signal: 'SIGINT' });
      await said('SIGINT');
      // Still there after both: only a second Ctrl-C ends it.
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(child.exitCode).toBeNull();
      child.send({ signal: 'SIGINT' });
    });
    expect(code).toBe(130);
    expect(output.match(/SIGINT/g)).toHaveLength(1);
  });

  it('are replaced by the end of the channel when the parent was killed', async () => {
    await ending(async (child, said) => {
      child.disconnect();
      await said('SIGHUP');
      child.kill('SIGKILL');
    });
  });
});
