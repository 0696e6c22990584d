import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import type { Launch } from '../launch.ts';
import { createProcessHolder } from '../process-holder.ts';
import type { SandboxProbe } from '../sandbox-probe.ts';
import { planStart } from '../start-plan.ts';
import { probeBackends, withWrap } from './probe-backends.ts';
import type { WrapBackend } from './wrap-backend.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-wrapped-')));
  mkdirSync(join(base, 'root'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A client of an engine that runs the program on the host: it confines nothing, and shows how it was driven. */
function engine(): ContainerEngine {
  const program = join(base, 'engine');
  writeFileSync(
    program,
    `#!/bin/sh
echo "$@" >>${base}/calls
case $1 in
  version) echo 28.0; exit;;
  image) echo id; exit;;
  rm) exit;;
esac
while [ "$1" != -- ]; do
  case $1 in
    --env-file) file=$2;;
    --entrypoint) command=$2;;
    --workdir) cd "$2";;
  esac
  shift
done
shift 2
[ -z "$file" ] || { set -a; . "$file"; set +a; }
exec "$command" "$@"
`,
    { mode: 0o755 },
  );
  return { kind: 'docker', program, image: 'example/agent:1', env: { PATH: '/usr/bin:/bin' } };
}

function launch(script: string, changes: Partial<Launch> = {}): Launch {
  return {
    command: '/bin/sh',
    args: ['-c', script],
    env: { GREETING: 'hello' },
    cwd: join(base, 'root'),
    profile: bareProfile({ roots: [{ path: join(base, 'root'), access: 'rw' }] }),
    ...changes,
  };
}

const calls = () => readFileSync(join(base, 'calls'), 'utf8').trim().split('\n');

describe('a process in a container', () => {
  it('has its stdio, environment and exit code through the client, and is removed at its end', async () => {
    await using holder = createProcessHolder({ sandbox: 'container', container: engine() });
    const started = await holder.start(launch('read line; echo "$GREETING $line $HOME"; mkdir .claude; exit 7'));
    if (started.kind === 'failed') throw new Error(started.message);
    const { process } = started;
    process.stdin.write('world\n');
    expect(await text(process.stdout)).toBe('hello world /home/agent\n');
    expect(await process.exited).toEqual({ code: 7, signal: null });
    await process.stop();
    expect(process.enforcement).toMatchObject({ backend: 'container', fs: 'partial', network: 'enforced' });
    expect(process.protectedPathsMade()).toEqual([join(base, 'root/.claude')]);
    const name = /--name (\S+)/.exec(
      calls().find((call) => call.startsWith('run') && call.includes('--name')) ?? '',
    )?.[1];
    expect(calls().at(-1)).toBe(`rm --force --volumes ${name}`);
  });

  it('is ended when its time is over, and the reason is in its stderr', async () => {
    await using holder = createProcessHolder({ sandbox: 'container', container: engine() });
    const wanted = launch('sleep 60');
    const started = await holder.start({
      ...wanted,
      profile: { ...(wanted.profile as NonNullable<Launch['profile']>), limits: { wallMs: 300 } },
    });
    if (started.kind === 'failed') throw new Error(started.message);
    await started.process.exited;
    await started.process.stop();
    expect(started.process.stderrTail()).toContain('passing its limit wallMs');
  });

  it('is refused, with the next step, where the engine does not work', async () => {
    for (const container of [undefined, { ...engine(), program: join(base, 'missing') }]) {
      await using holder = createProcessHolder({ sandbox: 'container', ...(container && { container }) });
      expect(await holder.start(launch('true'))).toMatchObject({
        kind: 'failed',
        reason: 'no-sandbox',
        message: expect.stringMatching(/engine|docker/),
      });
    }
    expect(existsSync(join(base, 'calls'))).toBe(false);
  });
});

describe('a backend in place of bubblewrap', () => {
  const without: SandboxProbe = {
    backend: 'none',
    usable: false,
    contains: false,
    reason: 'bubblewrap is not installed',
    nextStep: 'Install it.',
  };
  const landlock: WrapBackend = { kind: 'landlock', reach: { setpriv: '/s', network: true, scope: true } };
  const found = (backend: WrapBackend) => withWrap(without, { kind: 'found', backend });

  it('holds a profile that must be enforced, unless it is landlock', () => {
    expect(planStart(launch('true'), found({ kind: 'seatbelt' }))).toMatchObject({ kind: 'wrapped' });
    expect(planStart(launch('true'), found(landlock))).toMatchObject({ kind: 'failed', reason: 'no-sandbox' });
    expect(planStart(launch('true', { require: 'declared' }), found(landlock))).toMatchObject({ kind: 'wrapped' });
  });

  it('holds nothing without a profile', () => {
    const { profile: _profile, ...bare } = launch('true');
    expect(planStart(bare, found({ kind: 'seatbelt' }))).toEqual({ kind: 'bare' });
  });

  it('adds why the container engine does not work to why bubblewrap does not', () => {
    const both = withWrap(without, { kind: 'none', reason: 'docker does not answer', nextStep: 'Start it.' });
    expect(both).toMatchObject({
      usable: false,
      reason: 'bubblewrap is not installed, and docker does not answer',
      nextStep: 'Install it. Or: Start it.',
    });
    expect(withWrap(without, { kind: 'none' })).toBe(without);
  });

  it('is not looked for when the sandbox is switched off', async () => {
    expect(await probeBackends('none', engine())).toMatchObject({ usable: false, contains: false });
    expect(existsSync(join(base, 'calls'))).toBe(false);
  });
});
