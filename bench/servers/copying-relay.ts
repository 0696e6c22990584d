import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./copying-relay-program.ts', import.meta.url));

/** The floor of a gateway: a process that copies bytes between a unix socket and a server, and looks at none of them. */
export interface CopyingRelay extends AsyncDisposable {
  /** Who connects has a server of its own. */
  readonly socket: string;
}

export async function startCopyingRelay(server: {
  readonly command: string;
  readonly args: readonly string[];
}): Promise<CopyingRelay> {
  const directory = await mkdtemp(join(tmpdir(), 'reeve-bench-'));
  const socket = join(directory, 'relay.sock');
  const relay: ChildProcess = spawn(process.execPath, [PROGRAM, socket, server.command, ...server.args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(relay, 'exit');
  await Promise.race([once(relay.stdout as NodeJS.ReadableStream, 'data'), ended.then(failed)]);
  return {
    socket,
    async [Symbol.asyncDispose]() {
      relay.kill();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}

function failed([code]: readonly unknown[]): never {
  throw new Error(`the relay that only copies ended with code ${String(code)}`);
}
