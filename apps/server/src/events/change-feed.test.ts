import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { ChangeFeed, type ToldChange } from './change-feed.ts';

const removed = (name: string) => ({ kind: 'session.removed', sessionId: name as SessionId }) as const;

function read(feed: ChangeFeed, after?: string) {
  const stop = new AbortController();
  const reader = feed.follow(after, stop.signal);
  return {
    stop: () => stop.abort(),
    async take(count: number): Promise<ToldChange[]> {
      const taken: ToldChange[] = [];
      while (taken.length < count) {
        const next = await reader.next();
        if (next.done) break;
        taken.push(next.value);
      }
      return taken;
    },
  };
}

const namesOf = (told: readonly ToldChange[]): string[] =>
  told.map(({ kind, data }) => (kind === 'resync' ? kind : (JSON.parse(data) as { sessionId: string }).sessionId));

describe('the changes of a server', () => {
  it('begin with a resync, then are told in order to every reader', async () => {
    const feed = new ChangeFeed();
    feed.publish(removed('before'));
    const [one, two] = [read(feed), read(feed)];
    expect(namesOf(await one.take(1))).toEqual(['resync']);
    expect(namesOf(await two.take(1))).toEqual(['resync']);
    expect(feed.watched).toBe(true);
    const waiting = one.take(2);
    for (const name of ['a', 'b']) feed.publish(removed(name));
    expect(namesOf(await waiting)).toEqual(['a', 'b']);
    expect(namesOf(await two.take(2))).toEqual(['a', 'b']);
    one.stop();
    two.stop();
    await one.take(1);
    await two.take(1);
    expect(feed.watched).toBe(false);
  });

  it('go on after the last one that a reader has, and only then', async () => {
    const feed = new ChangeFeed();
    for (const name of ['a', 'b', 'c']) feed.publish(removed(name));
    const [first] = await read(feed).take(1);
    feed.publish(removed('d'));
    expect(namesOf(await read(feed, first?.id).take(1))).toEqual(['d']);
    for (const stranger of ['', 'x-1', `${first?.id}9999`, first?.id.replace(/-.*/, '-x')]) {
      expect(namesOf(await read(feed, stranger).take(1))).toEqual(['resync']);
    }
    feed.skip();
    expect(namesOf(await read(feed, first?.id).take(1))).toEqual(['resync']);
  });

  it('are kept up to a bound: a reader that is too slow is told to read again', async () => {
    const size = JSON.stringify(removed('0')).length;
    const feed = new ChangeFeed(3 * size);
    const slow = read(feed);
    await slow.take(1);
    for (const name of ['1', '2', '3']) feed.publish(removed(name));
    expect(namesOf(await slow.take(1))).toEqual(['1']);
    for (const name of ['4', '5', '6', '7']) feed.publish(removed(name));
    expect(namesOf(await slow.take(1))).toEqual(['resync']);
    feed.publish(removed('8'));
    expect(namesOf(await slow.take(1))).toEqual(['8']);
  });
});
