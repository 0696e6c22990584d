import { setTimeout as delay } from 'node:timers/promises';
import type { Benchmark } from '../benchmark.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { commandOf, descendants, shareMb } from '../processes.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { median } from '../statistics.ts';

export const idleSessions: Benchmark = {
  name: 'idle-sessions',
  title: 'Memory of an idle session beyond its agent process',
  async run({ quick, note }) {
    const step = quick ? 5 : 25;
    await using opened = new AsyncDisposableStack();
    const reeve = opened.use(await spawnReeve());
    const client = opened.use(await WebSocketClient.open(reeve));
    const openSome = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        const sessionId = await newSession(client);
        await client.request('session/prompt', promptText(sessionId, 'hello'));
      }
    };
    /** The server and what it runs beside the agents. */
    const ownMb = async (): Promise<number> => {
      await delay(quick ? 500 : 2000);
      const helpers = descendants(reeve.pid).filter((pid) => !commandOf(pid).includes('fake-agent'));
      return shareMb([reeve.pid, ...helpers]);
    };

    // The first sessions load code and grow the heap to its working size: that is the server's, not the session's.
    await openSome(step);
    const each: number[] = [];
    let before = await ownMb();
    for (let round = 0; round < 3; round++) {
      await openSome(step);
      const after = await ownMb();
      each.push((after - before) / step);
      note(`${(round + 2) * step} sessions: ${after.toFixed(1)} MB`);
      before = after;
    }
    const mb = median(each);
    return {
      figures: [{ who: 'Reeve', what: 'memory per idle session', unit: 'MB', samples: each }],
      goals: [{ what: 'memory per idle session', goal: '≤ 0.3 MB', value: `${mb.toFixed(2)} MB`, met: mb <= 0.3 }],
      faults: [],
      remarks: ['garbage that was not collected yet is counted: a server cannot be asked to collect it'],
    };
  },
};
