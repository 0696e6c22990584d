import { text } from 'node:stream/consumers';
import type { BoundaryDiff } from '@reeve/policy';
import type { Launch, ProcessHolder, Profile } from '@reeve/sandbox';

export interface InsideLook {
  readonly kind: 'gone' | 'unverified';
  readonly detail: string;
}

const DEADLINE_MS = 10_000;

/**
 * Says of each argument: `absent`, or `writable` or `readable` followed by what a listing of it shows. Every line of names begins with a
 * slash, so that none can be taken for a word of this script.
 */
const SCRIPT = `for path do
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then echo absent
  else
    if [ -w "$path" ]; then echo writable; else echo readable; fi
    ls -A -- "$path" 2>/dev/null | sed 's#^#/#'
  fi
done`;

/**
 * Looks, from a process in the same sandbox as a server's, whether what was taken from the server is gone.
 * @param launch how the server was started
 */
export async function lookFromInside(
  holder: ProcessHolder,
  launch: Launch,
  taken: BoundaryDiff['taken'],
): Promise<InsideLook> {
  const { profile } = launch;
  if (profile === undefined) return unverified('nothing confines the server: it was only started again');
  if (taken.length === 0) return { kind: 'gone', detail: 'no directory was taken' };
  const started = await holder.start({
    command: '/bin/sh',
    args: ['-c', SCRIPT, 'sh', ...taken.map(({ path }) => path)],
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    cwd: launch.cwd,
    profile: { ...profile, network: 'none' },
  });
  if (started.kind === 'failed') return unverified(`no process could be started in its sandbox (${started.reason})`);
  await using process = started.process;
  if (process.enforcement.fs === 'declared')
    return unverified('nothing confines the server: it was only started again');
  const late = setTimeout(() => void process.stop({ graceMs: 0, killAfterMs: 0 }), DEADLINE_MS);
  process.stdin.end();
  const said = await text(process.stdout).catch(() => '');
  const exit = await process.exited;
  clearTimeout(late);
  const views = readViews(said);
  if (exit.code !== 0 || views.length !== taken.length)
    return unverified('the look from inside its sandbox did not end well');
  const left = taken.filter(({ path, to }, at) => !isTaken(views[at] ?? ['writable'], path, to, profile));
  if (left.length > 0) return unverified(`${left.length} of ${taken.length} directories can still be seen inside`);
  return {
    kind: 'gone',
    detail: `looked for from inside its sandbox: ${taken.length} not there any more, or not to be written`,
  };
}

function isTaken([state, ...names]: readonly string[], path: string, to: string, profile: Profile): boolean {
  if (state === 'absent') return true;
  if (to === 'ro') return state === 'readable';
  // Only the way to what the server may still see; in a private /tmp it may be writable.
  const ways = new Set(wayBelow(path, profile));
  return ways.size > 0 && names.every((name) => ways.has(name));
}

/** Names in a directory that lead to something shown below it. */
function wayBelow(path: string, { roots, readOnly }: Profile): readonly string[] {
  const prefix = path === '/' ? '/' : `${path}/`;
  return [...roots.map((root) => root.path), ...readOnly]
    .filter((shown) => shown.startsWith(prefix))
    .map((shown) => `/${shown.slice(prefix.length).split('/')[0]}`);
}

function readViews(said: string): readonly (readonly string[])[] {
  const views: string[][] = [];
  for (const line of said.split('\n').slice(0, -1)) {
    if (line.startsWith('/')) views.at(-1)?.push(line);
    else views.push([line]);
  }
  return views;
}

function unverified(detail: string): InsideLook {
  return { kind: 'unverified', detail };
}
