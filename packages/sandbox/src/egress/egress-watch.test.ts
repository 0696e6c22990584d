import { describe, expect, it } from 'vitest';
import type { EgressDecision } from './egress-decision.ts';
import { EgressWatch } from './egress-watch.ts';

const denied = (host: string): EgressDecision => ({
  at: 0,
  host,
  port: 443,
  decision: 'denied',
  reason: 'not-declared',
});

describe('what a process is refused of the network', () => {
  it('is told once a minute for each host, to the log at once and to who listens later too', () => {
    let now = 0;
    const logged: string[] = [];
    const heard: string[] = [];
    const watch = new EgressWatch(
      ({ host }) => logged.push(host),
      () => now,
    );
    watch.see(denied('a'));
    watch.see(denied('a'));
    watch.see({ ...denied('b'), decision: 'allowed', reason: 'declared' });
    expect([logged, heard]).toEqual([['a'], []]);
    watch.listen(({ host }) => heard.push(host));
    watch.see(denied('c'));
    expect([logged, heard]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
    now = 59_999;
    watch.see(denied('a'));
    expect(heard).toEqual(['a', 'c']);
    now = 60_000;
    watch.see(denied('a'));
    expect(heard).toEqual(['a', 'c', 'a']);
  });

  it('is not told more than thirty times a minute, however many names are asked for', () => {
    const logged: string[] = [];
    const watch = new EgressWatch(
      ({ host }) => logged.push(host),
      () => 0,
    );
    for (let index = 0; index < 1000; index += 1) watch.see(denied(`${index}.example`));
    expect(logged).toHaveLength(30);
  });
});
