import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAbsolutePath, MAX_PATH_BYTES, type PathFault } from './absolute-path.ts';
import { parseFileUri, toFileUri } from './file-uri.ts';
import { anyPath } from './paths.rig.ts';

const ACCEPTED: readonly (readonly [string, string])[] = [
  ['file:///', '/'],
  ['file:///home/me/project', '/home/me/project'],
  ['file:///home/me/project/', '/home/me/project'],
  ['file:///home/my%20project', '/home/my project'],
  ['file:///home/%C3%A9', '/home/é'],
  ['file:///home/e%CC%81', '/home/e\u0301'],
  ['file:///a/.git', '/a/.git'],
  ['file:///a/100%25', '/a/100%'],
  ['file:///a/%41', '/a/A'],
  ['file:///a/b:c@d', '/a/b:c@d'],
];

const REFUSED: readonly (readonly [string, PathFault])[] = [
  ['file://', 'not_file_uri'],
  ['file:', 'not_file_uri'],
  ['file:/home', 'not_file_uri'],
  ['FILE:///home', 'not_file_uri'],
  ['https:///home', 'not_file_uri'],
  ['/home/me', 'not_file_uri'],
  ['', 'not_file_uri'],
  [' file:///home', 'not_file_uri'],
  ['file://localhost/home', 'host'],
  ['file://LOCALHOST/home', 'host'],
  ['file://127.0.0.1/home', 'host'],
  ['file://server/share', 'host'],
  ['file://home', 'host'],
  ['file://?/home', 'not_file_uri'],
  ['file://me@/home', 'user_information'],
  ['file://me:secret@server/home', 'user_information'],
  ['file:///home?x=1', 'query'],
  ['file:///home?', 'query'],
  ['file:///home#top', 'fragment'],
  ['file:///home#', 'fragment'],
  ['file:///home/a%2Fb', 'encoded_separator'],
  ['file:///home/a%2fb', 'encoded_separator'],
  ['file:///home/..%2f..%2fetc', 'encoded_separator'],
  ['file:///home/a%5Cb', 'encoded_separator'],
  ['file:///home/a\\b', 'encoded_separator'],
  ['file:///home/a%00b', 'encoded_separator'],
  ['file:///home/a%252fb', 'encoded_separator'],
  ['file:///home/a%25252fb', 'encoded_separator'],
  ['file:///home/a%2500', 'encoded_separator'],
  ['file:///home/../etc', 'dot_segment'],
  ['file:///home/./me', 'dot_segment'],
  ['file:///home/..', 'dot_segment'],
  ['file:///..', 'dot_segment'],
  ['file:///home/%2e%2e/etc', 'dot_segment'],
  ['file:///home/%2E./etc', 'dot_segment'],
  ['file:///home/.%2e/etc', 'dot_segment'],
  ['file:///home/%252e%252e/etc', 'dot_segment'],
  ['file:///home/%252e./etc', 'trailing_dot_or_space'],
  ['file:///home/.%252e/etc', 'dot_segment'],
  ['file:///home/%25252e/etc', 'dot_segment'],
  ['file:////server/share', 'empty_segment'],
  ['file:///home//me', 'empty_segment'],
  ['file:////', 'empty_segment'],
  ['file:///home//', 'empty_segment'],
  ['file:///C:/Users', 'drive_letter'],
  ['file:///c:', 'drive_letter'],
  ['file:///C%3A/Users', 'drive_letter'],
  ['file:///c%7C/Users', 'drive_letter'],
  ['file:///home/a%0Ab', 'control_character'],
  ['file:///home/a\nb', 'control_character'],
  ['file:///home/a\tb', 'control_character'],
  ['file:///home/a%7F', 'control_character'],
  ['file:///home/a%C2%85', 'control_character'],
  ['file:///home/a%20', 'trailing_dot_or_space'],
  ['file:///home/a%20/b', 'trailing_dot_or_space'],
  ['file:///home/a.', 'trailing_dot_or_space'],
  ['file:///home/a./b', 'trailing_dot_or_space'],
  ['file:///home/my project', 'unencoded_character'],
  ['file:///home/é', 'unencoded_character'],
  ['file:///home/a|b', 'unencoded_character'],
  ['file:///home/a%zz', 'malformed_encoding'],
  ['file:///home/a%2', 'malformed_encoding'],
  ['file:///home/a%', 'malformed_encoding'],
  ['file:///home/a%FF', 'malformed_encoding'],
  ['file:///home/%C0%AE%C0%AE/etc', 'malformed_encoding'],
  ['file:///home/%ED%A0%80', 'malformed_encoding'],
];

describe('the URI of a root', () => {
  it.each(ACCEPTED)('%s is %s', (uri, path) => {
    expect(parseFileUri(uri)).toEqual({ kind: 'path', path });
  });

  it.each(REFUSED)('%j is refused: %s', (uri, reason) => {
    expect(parseFileUri(uri)).toEqual({ kind: 'refused', reason, next: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  it('may be as long as a path may be, and no longer', () => {
    const longest = `/${'a'.repeat(MAX_PATH_BYTES - 1)}`;
    expect(parseFileUri(`file://${longest}`)).toEqual({ kind: 'path', path: longest });
    expect(parseFileUri(`file://${longest}a`)).toMatchObject({ reason: 'too_long' });
    expect(parseFileUri(`file://${longest.repeat(100)}`)).toMatchObject({ reason: 'too_long' });
  });

  it('goes there and back unchanged for every path that has one', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const made = toFileUri(path);
        if (made.kind === 'refused') return;
        expect(parseFileUri(made.uri)).toEqual({ kind: 'path', path });
      }),
      { numRuns: 2000 },
    );
  });

  it('has one for every plain path', () => {
    const plain = fc.array(fc.stringMatching(/^[\p{L}\p{N}_ -]{0,6}[\p{L}\p{N}_]$/u), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(plain, (names) => {
        expect(toFileUri(`/${names.join('/')}`).kind).toBe('uri');
      }),
    );
  });

  it('denotes no other path for another reader, where it is accepted', () => {
    const piece = fc.constantFrom(
      ...['/', '//', '..', '.', '%2e', '%2E', '%252e', '%2f', '%5c', '\\', '%00', '%25', '2e', '2f', 'a', 'C:', '|'],
      ...['?', '#', '@', 'host', ' ', '%20', 'é', '%C3%A9', '%c0%ae', '\n', '%0a', ';', ':', 'localhost'],
    );
    const uri = fc
      .tuple(fc.constantFrom('file:///', 'file://', 'file:', 'file:////'), fc.array(piece, { maxLength: 8 }))
      .map(([start, rest]) => start + rest.join(''));
    let accepted = 0;
    fc.assert(
      fc.property(uri, (text) => {
        const read = parseFileUri(text);
        if (read.kind === 'refused') return;
        accepted++;
        expect(fileURLToPath(text).replace(/(?<=.)\/$/, '')).toBe(read.path);
        expect(checkAbsolutePath(read.path)).toEqual(read);
        expect(fileURLToPath(new URL(`file://${encodeURI(read.path)}`)).split('/')).not.toContain('..');
        expect(decodedTwice(read.path)).not.toMatch(/\/\.\.?(?:\/|$)|[\\\0]/);
        expect(decodedTwice(read.path).split('/').length).toBe(read.path.split('/').length);
      }),
      { numRuns: 5000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  it('is refused for a path that has none', () => {
    expect(toFileUri('home')).toMatchObject({ reason: 'not_absolute' });
    expect(toFileUri('/a\\b')).toMatchObject({ reason: 'encoded_separator' });
    expect(toFileUri('/a/\ud800')).toMatchObject({ reason: 'not_text' });
    expect(toFileUri('/a/../b')).toMatchObject({ reason: 'dot_segment' });
  });
});

/** What a program sees that decodes what is decoded already. */
function decodedTwice(path: string): string {
  return path.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
