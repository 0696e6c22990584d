import { type NoteSigner, type NoteVerifier, parseNote, signerOf, signNote } from './signed-note.ts';

/** What the log said of itself at one moment (c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** Names the log. */
  readonly origin: string;
  /** How many records it had. */
  readonly size: number;
  readonly root: Buffer;
}

export function signCheckpoint({ origin, size, root }: Checkpoint, signers: readonly NoteSigner[]): string {
  return signNote(`${origin}\n${size}\n${root.toString('base64')}\n`, signers);
}

export type ReadCheckpoint =
  | { readonly kind: 'signed'; readonly checkpoint: Checkpoint; readonly by: NoteVerifier }
  /** None of the keys signed it. */
  | { readonly kind: 'unsigned'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'malformed' };

export function readCheckpoint(note: string, keys: Iterable<NoteVerifier>): ReadCheckpoint {
  const parsed = parseNote(note);
  const [origin, size, root, ...rest] = parsed?.text.split('\n') ?? [];
  const hash = Buffer.from(root ?? '', 'base64');
  if (!parsed || !origin || !/^(0|[1-9]\d{0,15})$/.test(size ?? '') || hash.byteLength !== 32 || rest.length === 0) {
    return { kind: 'malformed' };
  }
  const checkpoint = { origin, size: Number(size), root: hash };
  const by = signerOf(parsed, keys);
  return by ? { kind: 'signed', checkpoint, by } : { kind: 'unsigned', checkpoint };
}
