import type { EscapeStage, EscapeStageOptions } from './escape-stage.ts';

/**
 * One try to get out, made by a small script inside. Whether it got out is judged outside: by a secret in what it
 * printed or by a trace on the stage. Where nothing but the script can know, it prints a line that begins with ESCAPED.
 */
export interface EscapeAttempt {
  readonly id: string;
  /** What is tried, for a person: "read a file beside the root". */
  readonly what: string;
  readonly language: 'sh' | 'node' | 'perl';
  /** Undefined where the stage lacks what it is about. */
  readonly script: (stage: EscapeStage) => string | undefined;
  /** A trace of success on the stage, told in a few words. */
  readonly trace?: (stage: EscapeStage) => string | undefined;
  /** What the stage must have besides what it always has. */
  readonly needs?: EscapeStageOptions;
  /** Without a sandbox it would harm the machine: then it is not made. */
  readonly onlyConfined?: true;
}

/** One word of a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
