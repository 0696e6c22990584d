import { spawn } from 'node:child_process';
import type { FakeAgentFlags } from './flags.ts';

const banner = '\n   fake agent 1.0\n   {not json}\n[info] ready on stdio\n';

/**
 * What real agents do beside the protocol, at the start of the process. Exits at once with `--exit-early`.
 * A grandchild's pid is told on stderr as `grandchild pid=N`; it lives for ten minutes at most.
 */
export function misbehave(flags: FakeAgentFlags): void {
  if (flags.stderrNoise > 0)
    process.stderr.write(`${'noise '.repeat(flags.stderrNoise / 6 + 1)}`.slice(0, flags.stderrNoise));
  if (flags.exitEarly !== undefined) {
    process.stderr.write(`fake agent: leaving early with ${flags.exitEarly}\n`);
    process.exit(flags.exitEarly);
  }
  if (flags.banner) process.stdout.write(banner);
  if (flags.ignoreSigterm) process.on('SIGTERM', () => process.stderr.write('fake agent: SIGTERM ignored\n'));
  if (flags.grandchild !== 'none') {
    const grandchild = spawn('sleep', ['600'], {
      detached: flags.grandchild === 'setsid',
      stdio: flags.grandchild === 'hold' ? 'inherit' : 'ignore',
    });
    grandchild.unref();
    process.stderr.write(`grandchild pid=${grandchild.pid}\n`);
  }
}
