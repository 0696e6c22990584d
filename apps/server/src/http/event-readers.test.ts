import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { createEventReaders } from './event-readers.ts';

const [ONE, OTHER] = ['one', 'other'] as SessionId[] as [SessionId, SessionId];

describe('readers of events', () => {
  it('are told by the name that they give, of their own session, until they leave', () => {
    const changed: string[] = [];
    const readers = createEventReaders((id) => changed.push(id));
    const console = readers.add(ONE, 'reeve-console 0.1.0');
    readers.add(ONE, 'http-api');
    readers.add(OTHER, 'http-api');
    const facts = { transport: 'events', role: 'observer', since: expect.any(Number) };
    expect(readers.of(ONE)).toEqual([{ claimed: { name: 'reeve-console', version: '0.1.0' }, ...facts }, facts]);
    console[Symbol.dispose]();
    console[Symbol.dispose]();
    expect(readers.of(ONE)).toEqual([facts]);
    expect(changed).toEqual([ONE, ONE, OTHER, ONE]);
  });

  it('are told a hundred at most', () => {
    const readers = createEventReaders(() => {});
    for (let count = 0; count < 101; count += 1) readers.add(ONE, 'http-api');
    expect(readers.of(ONE)).toHaveLength(100);
  });
});
