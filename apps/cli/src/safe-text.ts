/** A whole escape sequence: CSI, OSC and other strings up to their end, two-character ones. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;
/** Control characters but tab and newline, and what turns the direction of writing or hides text. */
const CONTROLS =
  /[^\P{Cc}\t\n]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text of an agent for a terminal: it can neither move the cursor, colour, retitle, nor reorder what is shown. */
export function safeText(text: string): string {
  return text.replace(ESCAPES, '').replace(CONTROLS, '');
}

/** The same on one line, cut to `width` characters. */
export function safeLine(text: string, width = 200): string {
  const line = safeText(text).replace(/\s+/g, ' ').trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
