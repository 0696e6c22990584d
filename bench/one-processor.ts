import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Does `act` with this process, and every process that it starts meanwhile, on one processor: nobody has to be woken on another one, which
 * in a virtual machine takes longer than what is measured and differs from hour to hour. What they do takes longer, since nothing goes on
 * beside it. Undefined where the system has no `taskset` (util-linux) or one processor only.
 */
export async function onOneProcessor<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
  const all = await processors();
  const last = all === undefined ? undefined : /\d+$/.exec(all)?.[0];
  if (all === undefined || last === undefined || last === all) return undefined;
  await pin(last);
  try {
    return await act();
  } finally {
    await pin(all);
  }
}

/** As `taskset` writes them: `0-3,7`. */
async function processors(): Promise<string | undefined> {
  try {
    const { stdout } = await run('taskset', ['-pc', String(process.pid)]);
    return /: ([\d,-]+)\s*$/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function pin(list: string): Promise<void> {
  await run('taskset', ['-acp', list, String(process.pid)]);
}
