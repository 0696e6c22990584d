import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/*
 * Notes with signatures as C2SP has them (c2sp.org/signed-note): text that ends with a newline, an empty line, then a line
 * for each signature: "— name base64(key id, signature)".
 */

/** A key that signs: its name must hold neither white space nor "+". */
export interface NoteSigner {
  readonly name: string;
  /** Ed25519. */
  readonly key: KeyObject;
}

/** A key that signatures are checked with. */
export interface NoteVerifier {
  readonly name: string;
  /** As it is written down: `name+id+base64`. */
  readonly text: string;
  readonly id: Buffer;
  readonly key: KeyObject;
}

export interface SignedNote {
  /** With its final newline. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: Buffer; readonly signature: Buffer }[];
}

const ED25519 = 0x01;
const KEY_BYTES = 32;
/** What stands before the key itself in DER (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+=*)$/;
/** A note holds a few lines; more is not ours. */
const MAX_NOTE = 64 * 1024;

export function verifierOf({ name, key }: NoteSigner): NoteVerifier {
  const publicKey = createPublicKey(key);
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return verifier(name, raw, publicKey);
}

/** Reads `name+id+base64`; undefined for anything else, also for an id that is not that of name and key. */
export function parseVerifier(text: string): NoteVerifier | undefined {
  const match = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text.trim());
  if (!match) return undefined;
  const encoded = Buffer.from(match[3] as string, 'base64');
  if (encoded.byteLength !== KEY_BYTES + 1 || encoded[0] !== ED25519) return undefined;
  const raw = encoded.subarray(1);
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
  const made = verifier(match[1] as string, raw, key);
  return made.text === text.trim() ? made : undefined;
}

function verifier(name: string, raw: Buffer, key: KeyObject): NoteVerifier {
  const encoded = Buffer.concat([Buffer.from([ED25519]), raw]);
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'buffer').subarray(0, 4);
  return { name, id, key, text: `${name}+${id.toString('hex')}+${encoded.toString('base64')}` };
}

/** `text` ends with a newline. */
export function signNote(text: string, signers: readonly NoteSigner[]): string {
  const lines = signers.map((signer) => {
    const { name, id } = verifierOf(signer);
    const signature = sign(null, Buffer.from(text), signer.key);
    return `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/** Undefined for what is no signed note. Checks no signature. */
export function parseNote(note: string): SignedNote | undefined {
  const end = note.length > MAX_NOTE ? -1 : note.lastIndexOf('\n\n');
  if (end === -1 || !note.endsWith('\n')) return undefined;
  const signatures = [];
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const match = SIGNATURE_LINE.exec(line);
    const bytes = Buffer.from(match?.[2] ?? '', 'base64');
    if (!match || bytes.byteLength < 5) return undefined;
    signatures.push({ name: match[1] as string, id: bytes.subarray(0, 4), signature: bytes.subarray(4) });
  }
  return { text: note.slice(0, end + 1), signatures };
}

/** The first of the keys that signed the note; undefined when none did. */
export function signerOf({ text, signatures }: SignedNote, keys: Iterable<NoteVerifier>): NoteVerifier | undefined {
  for (const known of keys) {
    for (const { name, id, signature } of signatures) {
      if (name !== known.name || !id.equals(known.id)) continue;
      if (verify(null, Buffer.from(text), known.key, signature)) return known;
    }
  }
  return undefined;
}
