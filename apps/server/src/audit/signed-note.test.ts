import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCheckpoint, signCheckpoint } from './checkpoint.ts';
import { parseNote, parseVerifier, signerOf, signNote, verifierOf } from './signed-note.ts';

/** The key and the note of the documentation of Go's golang.org/x/mod/sumdb/note. */
const GO_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const GO_NOTE =
  'If you think cryptography is the answer to your problem,\n' +
  "then you don't know what your problem is.\n" +
  '\n' +
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

const signer = (name = 'reeve/log') => ({ name, key: generateKeyPairSync('ed25519').privateKey });
const origin = 'reeve/log';
const root = Buffer.alloc(32, 7);

describe('a signed note', () => {
  it('of the documentation of another implementation is read, and its key', () => {
    const key = parseVerifier(GO_KEY);
    const note = parseNote(GO_NOTE);
    if (!key || !note) throw new Error('neither can be missing');
    expect(signerOf(note, [key])).toBe(key);
    expect(signerOf({ ...note, text: note.text.replace('answer', 'anzwer') }, [key])).toBeUndefined();
    expect(parseVerifier(GO_KEY.replace('c74f20a3', 'c74f20a4'))).toBeUndefined();
  });

  it('says which of the keys signed it, and is signed by nobody once a letter of it is another', () => {
    const [one, two, stranger] = [signer(), signer(), signer()];
    const text = signNote('said\n', [one, two]);
    const note = parseNote(text);
    if (!note) throw new Error('it was just made');
    expect(signerOf(note, [verifierOf(two)])?.text).toBe(verifierOf(two).text);
    expect(signerOf(note, [verifierOf(stranger)])).toBeUndefined();
    const changed = parseNote(text.replace('said', 'sbid'));
    expect(changed && signerOf(changed, [verifierOf(one), verifierOf(two)])).toBeUndefined();
  });

  it('is nothing else than a note', () => {
    for (const text of ['', '\n', 'a\n', 'a\n\n', 'a\n\n— name\n', 'a\n\n- name AAAA\n', 'x'.repeat(70_000)]) {
      expect(parseNote(text)).toBeUndefined();
    }
  });
});

describe('a checkpoint', () => {
  it('has the lines of C2SP and comes back as it was', () => {
    const key = signer();
    const note = signCheckpoint({ origin, size: 42, root }, [key]);
    expect(note.split('\n').slice(0, 4)).toEqual([origin, '42', root.toString('base64'), '']);
    expect(readCheckpoint(note, [verifierOf(key)])).toMatchObject({
      kind: 'signed',
      checkpoint: { origin, size: 42, root },
    });
    expect(readCheckpoint(note, [verifierOf(signer())])).toMatchObject({ kind: 'unsigned' });
    expect(readCheckpoint(note.replace('\n42\n', '\n43\n'), [verifierOf(key)])).toMatchObject({ kind: 'unsigned' });
    for (const size of ['042', '-1', 'x', '']) {
      expect(readCheckpoint(note.replace('\n42\n', `\n${size}\n`), [])).toEqual({ kind: 'malformed' });
    }
  });
});
