import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type TokenResult =
  | { readonly kind: 'ready'; readonly token: string; readonly path: string }
  /** `next`: what a person does about it. */
  | { readonly kind: 'refused'; readonly path: string; readonly detail: string; readonly next: string };

const TOKEN_BYTES = 32;

/**
 * The server's bearer token, kept in `token` of the data directory (mode 0600): made when there is none, the same ever
 * after, also for two servers that start at once. A file that others may read is refused, not mended: they may have read it.
 * Rejects only if the directory cannot be written.
 */
export async function loadToken(dataDir: string): Promise<TokenResult> {
  const path = join(dataDir, 'token');
  const known = await readToken(path);
  if (known) return known;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(TOKEN_BYTES).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    // Whole or not at all; whoever comes second reads the first one's.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  return (await readToken(path)) ?? refused(path, 'it vanished while it was made', 'Start the server again.');
}

async function readToken(path: string): Promise<TokenResult | undefined> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!stat) return undefined;
  if (!stat.isFile())
    return refused(path, 'it is not a plain file', 'Remove it: a new token is made at the next start.');
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    const next = `Run: chmod 600 ${quote(path)} (or remove the file for a new token, if somebody may have read it).`;
    return refused(path, 'other users of this machine may read it', next);
  }
  const token = (await readFile(path, 'utf8')).trim();
  if (/^[\x21-\x7e]{16,512}$/.test(token)) return { kind: 'ready', token, path };
  const next = 'Remove it: a new token is made at the next start.';
  return refused(path, 'it does not hold a token of 16 to 512 visible ASCII characters', next);
}

function refused(path: string, detail: string, next: string): TokenResult {
  return { kind: 'refused', path, detail, next };
}

/** As a shell takes it for one word. */
function quote(path: string): string {
  return /^[\w/.@%+:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
