import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { IdleWatch } from './idle-watch.ts';

it('does not let a session go that somebody works on without a client or a turn, and does once the last is done', async () => {
  const onIdle = vi.fn();
  const watch = new IdleWatch({ isUsed: () => false, waitMs: () => 0, onIdle });
  // Two changes of a boundary, of which one is refused at once while the other has just stopped the agent.
  const slow = watch.hold();
  const quick = watch.hold();
  quick[Symbol.dispose]();
  watch.look();
  await delay(20);
  expect(onIdle).not.toHaveBeenCalled();
  slow[Symbol.dispose]();
  await expect.poll(() => onIdle).toHaveBeenCalledOnce();
});
