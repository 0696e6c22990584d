import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentCommand } from '@reeve/testkit';
import { commandOf, descendants } from '../processes.ts';
import type { Lateness } from './pacer.ts';

/** One process that plays all the agents which are started with its command. End those before disposing of it. */
export interface Player extends AsyncDisposable {
  readonly command: AgentCommand;
  readonly pid: number;
  /** Of the updates since the call before; NaN when there were none. */
  lateness(): Promise<Lateness>;
  /** The processes of its agents. */
  agents(): readonly number[];
}

export async function startPlayer(): Promise<Player> {
  const directory = await mkdtemp(join(tmpdir(), 'reeve-played-'));
  execFileSync('mkfifo', [join(directory, 'hello')]);
  const child = fork(fileURLToPath(new URL('./player.ts', import.meta.url)), [directory]);
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  return {
    command: {
      command: 'sh',
      args: [fileURLToPath(new URL('./played-agent.sh', import.meta.url)), directory],
      env: {},
    },
    pid: child.pid as number,
    async lateness() {
      const answer = once(child, 'message');
      child.send('lateness');
      const [told] = (await answer) as [{ [Key in keyof Lateness]: number | null }];
      // NaN crosses the channel as null.
      return { p50Ms: told.p50Ms ?? Number.NaN, p99Ms: told.p99Ms ?? Number.NaN };
    },
    agents: () => descendants(process.pid).filter((pid) => commandOf(pid).includes(directory) && pid !== child.pid),
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
