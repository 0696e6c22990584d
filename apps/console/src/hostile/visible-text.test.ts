import { describe, expect, it } from 'vitest';
import { exactText, visibleText } from './visible-text.ts';

describe('text from outside', () => {
  it('loses the escape sequences of terminals, whole', () => {
    expect(visibleText('\u001b[31mred\u001b[0m \u001b]0;title\u0007done\u001b]8;;http://x\u001b\\')).toBe('red done');
  });

  it('shows what would reorder or hide it as marks', () => {
    expect(visibleText('a\u202eb\u2066c\u200bd')).toBe('a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d');
    expect(visibleText('x\u{e0041}')).toBe('x⟨U+E0041⟩');
  });

  it('keeps lines, tabs, scripts and emoji as they are', () => {
    const text = 'one\n\ttwo – größe שלום 👩\u200d💻';
    expect(visibleText(text)).toBe(text);
    expect(visibleText('a\r\nb')).toBe('a\nb');
  });

  it('is complete where a person decides: nothing is left out', () => {
    expect(exactText('rm\u001b[2K\u001b[1G -rf\r\nx\u0000\u200d\u009b')).toBe('rm␛[2K␛[1G -rf␍\nx␀⟨U+200D⟩⟨U+009B⟩');
  });
});
