/** Escape sequences of terminals (ECMA-48): CSI, OSC with its end, and two-character ones. */
const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[@-Z\\-_])/g;

/** Controls but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** What reorders or hides text: bidirectional controls, zero-width characters, soft hyphens, separators, tags. */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** Joiners: part of many scripts and emoji, and never of a command. */
const JOINER = /[\u200c\u200d]/g;

/**
 * Text from outside for people to read: escape sequences of terminals are left out, every other control and every
 * character that reorders or hides text stands as a visible mark.
 */
export function visibleText(text: string): string {
  return marked(text.replaceAll('\r\n', '\n').replaceAll(TERMINAL, ''));
}

/** The same for text that a person decides about: nothing is left out, all that cannot be seen is marked. */
export function exactText(text: string): string {
  return marked(text).replaceAll(JOINER, mark);
}

function marked(text: string): string {
  return text.replaceAll(CONTROL, picture).replaceAll(UNSEEN, mark);
}

/** Unicode has pictures for the controls below 0x20, and for DEL. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : mark(control);
}

function mark(character: string): string {
  return `\u27e8U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}
