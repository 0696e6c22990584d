import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A path that only the holder of a key can read (AES-256-GCM). */
export interface SealedPath {
  /** Which data key. */
  readonly key: string;
  /** Nonce, text and tag, as base64url. */
  readonly box: string;
}

/** The key that paths of one log are sealed with. It is stored only wrapped in the path key. */
export interface DataKey {
  readonly id: string;
  readonly bytes: Buffer;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function newDataKey(): DataKey {
  return { id: randomBytes(8).toString('hex'), bytes: randomBytes(KEY_BYTES) };
}

export function wrapDataKey({ id, bytes }: DataKey, pathKey: Buffer): string {
  return seal(bytes, pathKey, id).toString('base64url');
}

/** Undefined when it was wrapped in another key, or is damaged. */
export function unwrapDataKey(id: string, wrapped: string, pathKey: Buffer): DataKey | undefined {
  const bytes = open(Buffer.from(wrapped, 'base64url'), pathKey, id);
  return bytes?.byteLength === KEY_BYTES ? { id, bytes } : undefined;
}

export function sealPath(path: string, { id, bytes }: DataKey): SealedPath {
  return { key: id, box: seal(Buffer.from(path), bytes, id).toString('base64url') };
}

/** Undefined for another key, and for a box that is damaged. */
export function openPath({ key, box }: SealedPath, { id, bytes }: DataKey): string | undefined {
  return key === id ? open(Buffer.from(box, 'base64url'), bytes, id)?.toString() : undefined;
}

/** `purpose` must be the same on both sides. */
function seal(text: Buffer, key: Buffer, purpose: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

function open(box: Buffer, key: Buffer, purpose: string): Buffer | undefined {
  if (box.byteLength < NONCE_BYTES + TAG_BYTES) return undefined;
  const cipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(box.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([cipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
  } catch {
    return undefined;
  }
}
