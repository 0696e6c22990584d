import type { HeldProcess } from '@reeve/sandbox';

export interface MadePathsOptions {
  readonly process: Pick<HeldProcess, 'protectedPathsMade'>;
  readonly checkMs: number;
  /** These were not there when the process was started, so that they could not be protected, and are there now. */
  readonly onMade: (paths: readonly string[]) => void;
}

/** Looks what appeared of what the sandbox of a process would protect. Each path is told once. */
export interface MadePaths extends Disposable {
  look(): void;
}

export function watchMadePaths({ process, checkMs, onMade }: MadePathsOptions): MadePaths {
  const told = new Set<string>();
  const look = (): void => {
    const made = process.protectedPathsMade().filter((path) => !told.has(path));
    for (const path of made) told.add(path);
    if (made.length > 0) onMade(made);
  };
  const timer = setInterval(look, checkMs).unref();
  return { look, [Symbol.dispose]: () => clearInterval(timer) };
}
