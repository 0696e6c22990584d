import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { IdleWatch } from './idle-watch.ts';

it('does not let a session go that somebody works on without a client or a turn, and does once the last is done', async () => {
  let idle = 0;
  const watch = new IdleWatch({ isUsed: () => false, waitMs: () => 0, onIdle: () => void (idle += 1) });
  // Two changes of a boundary, of which one is refused at once while the other has just stopped the agent.
  const slow = watch.hold();
  const quick = watch.hold();
  quick[Symbol.dispose]();
  watch.look();
  await delay(20);
  expect(idle).toBe(0);
  slow[Symbol.dispose]();
  await expect.poll(() => idle).toBe(1);
});
