interface Reached {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}

/** What runs, whole and with each word told apart, or the address. */
export function commandText({ command, args = [], url }: Reached): string {
  if (url !== undefined) return url;
  const words = command === undefined ? args : [command, ...args];
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
