import { rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes `server.json` (mode 0600) into the data directory, by which the command line on this machine finds the server; `remove` takes
 * it away again. `token`: undefined where callers need none.
 */
export async function announceServer(
  dataDir: string,
  url: string,
  token: string | undefined,
): Promise<{ remove(): Promise<void> }> {
  const path = join(dataDir, 'server.json');
  const draft = `${path}.${process.pid}`;
  const text = JSON.stringify({ url, token: token ?? null, pid: process.pid, startedAt: Date.now() });
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
  return { remove: () => unlink(path).catch(() => undefined) };
}
