import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { SCRIPT } from '../../boundary/server-fingerprint.ts';

interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * A command line that means the same wherever it is started: what it names relative to `from`, and what is there, is named by its canonical
 * path. That is a word with a slash, `.` or `..`, a script, and the value of `--flag=`; any other word may be no path at all.
 * @param from canonical
 */
export function commandFrom({ command, args }: CommandLine, from: string): CommandLine {
  const found = (word: string): string => (isAbsolute(word) ? word : (placeOf(resolve(from, word)) ?? word));
  return {
    command: command.includes('/') ? found(command) : command,
    args: args.map((word) => {
      const [, flag = '', value = ''] = /^(-[^=\s]*=|(?!-))(.*)$/s.exec(word) ?? [];
      return isPath(value) ? flag + found(value) : word;
    }),
  };
}

function isPath(word: string): boolean {
  return /^\.{1,2}$|\//.test(word) || SCRIPT.test(word);
}

/** Undefined where nothing is. */
function placeOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
