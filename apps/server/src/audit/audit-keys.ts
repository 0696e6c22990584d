import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { link, lstat, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const SECRET_BYTES = 32;

/** The keys of an audit log, each in a file of its own (mode 0600) in one directory. */
export interface AuditKeyFiles {
  /** Ed25519, signs checkpoints. */
  signingKey(): Promise<KeyObject>;
  /** Takes the place of the signing key, whole or not at all. */
  replaceSigningKey(key: KeyObject): Promise<void>;
  /** Makes labels of paths. */
  labelKey(): Promise<Buffer>;
  /** Wraps the keys that paths are encrypted with; undefined when the file is gone, unless it is to be made. */
  pathKey(make: boolean): Promise<Buffer | undefined>;
  /** Beside the secrets, for people: the key that checks signatures. */
  writePublicKey(text: string): Promise<void>;
}

/** Makes the directory (mode 0700). A key is made when it is asked for and there is none; a file that others may read is refused. */
export async function openAuditKeys(directory: string): Promise<AuditKeyFiles> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = (name: string): string => join(directory, name);
  const secret = async (name: string): Promise<Buffer> => {
    const text = await readOrMake(file(name), () => randomBytes(SECRET_BYTES).toString('base64'));
    return secretOf(file(name), text);
  };
  return {
    async signingKey() {
      const text = await readOrMake(file('signing.key'), () => pem(generateKeyPairSync('ed25519').privateKey));
      const key = tryKey(text);
      if (key?.asymmetricKeyType === 'ed25519') return key;
      throw damaged(file('signing.key'), 'an Ed25519 key in PEM');
    },
    async replaceSigningKey(key) {
      const draft = file('signing.key.next');
      await unlink(draft).catch(() => undefined);
      await writeWhole(draft, pem(key));
      await rename(draft, file('signing.key'));
    },
    labelKey: () => secret('label.key'),
    async pathKey(make) {
      if (make) return secret('path.key');
      const text = await readSecret(file('path.key'));
      return text === undefined ? undefined : secretOf(file('path.key'), text);
    },
    async writePublicKey(text) {
      const draft = file('signing.pub.next');
      await unlink(draft).catch(() => undefined);
      await writeWhole(draft, `${text}\n`);
      await rename(draft, file('signing.pub'));
    },
  };
}

async function readOrMake(path: string, make: () => string): Promise<string> {
  const known = await readSecret(path);
  if (known !== undefined) return known;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeWhole(draft, make());
    // Whole or not at all; whoever comes second reads the first one's.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  const made = await readSecret(path);
  if (made !== undefined) return made;
  throw new Error(`${path} vanished while it was made: start the server again`);
}

async function readSecret(path: string): Promise<string | undefined> {
  const stat = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!stat) return undefined;
  if (!stat.isFile()) throw new Error(`${path} is not a plain file: put the key of the audit log back in its place`);
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new Error(`other users of this machine may read ${path}, a key of the audit log: make its mode 600`);
  }
  return readFile(path, 'utf8');
}

/** On disk before it has a name that is looked for: what is signed or sealed with a lost key is lost. */
async function writeWhole(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

function pem(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

function tryKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

function secretOf(path: string, text: string): Buffer {
  const bytes = Buffer.from(text.trim(), 'base64');
  if (bytes.byteLength === SECRET_BYTES) return bytes;
  throw damaged(path, `${SECRET_BYTES} bytes in base64`);
}

function damaged(path: string, what: string): Error {
  return new Error(
    `${path} does not hold ${what}: put the key of the audit log back from a copy, or move the file away`,
  );
}
