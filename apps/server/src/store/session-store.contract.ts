import type { AgentEpoch, EventSeq, SessionId } from '@reeve/protocol';
import { expect, it } from 'vitest';
import { wordsOf } from '../sessions/search-index.ts';
import type { SessionRecord, SessionStore } from '../sessions/session-store.ts';
import type { StoreUnderTest } from './store-under-test.rig.ts';

export function describeSessionStoreContract(subject: StoreUnderTest): void {
  const sessions = (): SessionStore => subject.store.sessions;

  it('finds a record by its id and by its alias, with everything in it', async () => {
    const full = record('a', {
      alias: 'name',
      title: 'Ünï 🙂',
      closed: true,
      additionalDirectories: ['/x', '/y'],
      setup: { modes: { currentModeId: 'ask', availableModes: [] }, future: [1, null, { a: true }] },
      metadata: { 'a.b': 'c' },
    });
    expect(await sessions().put(full)).toBe('stored');
    expect(await sessions().find('a')).toEqual(full);
    expect(await sessions().find('name')).toEqual(full);
    expect(await sessions().find('b')).toBeUndefined();
    expect(await sessions().find('')).toBeUndefined();
  });

  it('finds a record by the id that its agent has for it now', async () => {
    await sessions().put(record('a', { agent: 'one', agentSessionId: 'x' }));
    await sessions().put(record('b', { agent: 'two', agentSessionId: 'x' }));
    expect(await sessions().findByAgentSession('two', 'x')).toMatchObject({ sessionId: 'b' });
    expect(await sessions().findByAgentSession('three', 'x')).toBeUndefined();
    await sessions().put(record('b', { agent: 'two', agentSessionId: 'y' }));
    expect(await sessions().findByAgentSession('two', 'x')).toBeUndefined();
    expect(await sessions().findByAgentSession('two', 'y')).toMatchObject({ sessionId: 'b' });
  });

  it('finds sessions by the words of their title and of what was said in them, by pages', async () => {
    const { search } = subject.store;
    const found = async (query: string, more: object = {}) =>
      (await sessions().list({ limit: 10, words: wordsOf(query), ...more }))?.sessions.map(
        ({ sessionId }) => sessionId,
      );
    await sessions().put(record('a', { title: 'Fix the Build', updatedAt: 1 }));
    await sessions().put(record('b', { cwd: '/other', updatedAt: 2 }));
    await sessions().put(record('c', { updatedAt: 3 }));
    expect(await search.indexedSeq('a' as SessionId)).toBe(0);
    await search.add('a' as SessionId, 5 as EventSeq, 'The café is "closed" NOT open');
    await search.add('b' as SessionId, 5 as EventSeq, 'build a house');
    await search.add('b' as SessionId, 9 as EventSeq, 'and a café');
    await search.add('b' as SessionId, 7 as EventSeq, 'late');
    await search.add('nobody' as SessionId, 7 as EventSeq, 'house');
    expect(await search.indexedSeq('b' as SessionId)).toBe(9);
    expect(await found('build')).toEqual(['b', 'a']);
    expect(await found('CAFE')).toEqual(['b', 'a']);
    expect(await found('buil cafe hou')).toEqual(['b']);
    expect(await found('build', { cwd: '/other' })).toEqual(['b']);
    expect(await found('late')).toEqual([]);
    expect(await found('"closed" OR -open* NEAR(')).toEqual([]);
    expect(await found('not "clos')).toEqual(['a']);
    expect(await found('?!')).toEqual(['c', 'b', 'a']);
    const first = await sessions().list({ limit: 1, words: ['build'] });
    expect(await found('build', { cursor: first?.nextCursor })).toEqual(['a']);
    await sessions().remove('b' as SessionId);
    expect(await found('house')).toEqual([]);
    await sessions().put(record('b'));
    expect(await search.indexedSeq('b' as SessionId)).toBe(0);
    expect(await found('house')).toEqual([]);
  });

  it('replaces a record, and gives its alias free when it goes', async () => {
    await sessions().put(record('a', { alias: 'old' }));
    expect(await sessions().put(record('a', { alias: 'new', title: 'second' }))).toBe('stored');
    expect(await sessions().find('old')).toBeUndefined();
    expect(await sessions().find('new')).toMatchObject({ title: 'second' });
    expect(await sessions().put(record('b', { alias: 'old' }))).toBe('stored');
    expect(await sessions().put(record('a'))).toBe('stored');
    expect(await sessions().find('new')).toBeUndefined();
  });

  it('keeps names unique: no alias is another session’s alias or id, no id another’s alias', async () => {
    await sessions().put(record('a', { alias: 'name' }));
    expect(await sessions().put(record('b', { alias: 'name' }))).toBe('alias-taken');
    expect(await sessions().put(record('b', { alias: 'a' }))).toBe('alias-taken');
    expect(await sessions().put(record('name'))).toBe('alias-taken');
    expect(await sessions().find('b')).toBeUndefined();
    expect(await sessions().put(record('b', { alias: 'b' }))).toBe('stored');
    expect(await sessions().put(record('b', { alias: 'name', title: 'not stored' }))).toBe('alias-taken');
    expect(await sessions().find('b')).toEqual(record('b', { alias: 'b' }));
    expect(await sessions().find('name')).toMatchObject({ sessionId: 'a' });
  });

  it('gives an alias to the first of two that want it at once, and stores what came beside', async () => {
    const results = await Promise.all([
      sessions().put(record('a', { alias: 'name' })),
      sessions().put(record('b', { alias: 'name' })),
      sessions().put(record('c')),
    ]);
    expect(results).toEqual(['stored', 'alias-taken', 'stored']);
    expect(await sessions().find('c')).toEqual(record('c'));
  });

  it('has the last of several records that are written at once, whatever is written between them', async () => {
    const results = await Promise.all([
      sessions().put(record('a', { alias: 'name', title: '1' })),
      sessions().put(record('b', { alias: 'name' })),
      sessions().put(record('a', { alias: 'name', title: '2' })),
      sessions().putTurn({ sessionId: 'a' as SessionId, idempotencyKey: 'k', promptSeq: 1 as EventSeq }),
      sessions().put(record('a', { alias: 'name', title: '3' })),
      sessions().put(record('c', { alias: 'one' })),
      sessions().put(record('c', { alias: 'two' })),
      sessions().put(record('c', { alias: 'one' })),
    ]);
    expect(results).toEqual(['stored', 'alias-taken', 'stored', true, 'stored', 'stored', 'stored', 'stored']);
    expect(await sessions().find('name')).toEqual(record('a', { alias: 'name', title: '3' }));
    expect(await sessions().find('c')).toMatchObject({ alias: 'one' });
    const gone = [sessions().put(record('d')), sessions().remove('d' as SessionId), sessions().put(record('d'))];
    await Promise.all([...gone, sessions().remove('d' as SessionId)]);
    expect(await sessions().find('d')).toBeUndefined();
  });

  it('has a large record as it was written last, however often it is read', async () => {
    const large = (note: string) =>
      record('a', { metadata: { list: Array.from({ length: 5000 }, () => `${note} padding`) } });
    for (const note of ['one', 'two', 'one']) {
      await sessions().put(large(note));
      expect(await sessions().find('a')).toEqual(large(note));
      expect(await sessions().find('a')).toEqual(large(note));
    }
  });

  it('gives records that the caller cannot change in the store', async () => {
    const metadata: Record<string, unknown> = { list: [1] };
    await sessions().put(record('a', { metadata }));
    metadata.list = 'changed';
    const found = await sessions().find('a');
    const list = found?.metadata.list;
    if (Array.isArray(list)) list.push(2);
    expect(await sessions().find('a')).toMatchObject({ metadata: { list: [1] } });
  });

  it('lists the newest first and ties by id, page by page, each once', async () => {
    const all = [];
    for (let index = 0; index < 23; index += 1) {
      all.push(
        record(`s-${String((index * 7) % 23).padStart(2, '0')}`, { updatedAt: 1000 + Math.floor(index / 6) + 0.5 }),
      );
    }
    await Promise.all(all.map((each) => sessions().put(each)));
    const expected = all
      .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1))
      .map(({ sessionId }) => sessionId);
    for (const limit of [1, 4, 6, 22, 23, 1000]) expect(await listed(sessions(), limit)).toEqual(expected);
  });

  it('has no next page after the last, also where it is full', async () => {
    await sessions().put(record('a'));
    await sessions().put(record('b'));
    expect(await sessions().list({ limit: 2 })).not.toHaveProperty('nextCursor');
    expect(await sessions().list({ limit: 1 })).toHaveProperty('nextCursor');
    expect(await sessions().list({ limit: 5, cwd: '/nowhere' })).toEqual({ sessions: [] });
  });

  it('lists the sessions of one directory only', async () => {
    for (const [index, cwd] of ['/a', '/b', '/a', '/a/c', '/a'].entries())
      await sessions().put(record(`s${index}`, { cwd }));
    expect(await listed(sessions(), 2, '/a')).toEqual(['s0', 's2', 's4']);
    expect(await listed(sessions(), 2, '/a/c')).toEqual(['s3']);
  });

  it('goes on from a cursor whose session is gone', async () => {
    for (const id of ['a', 'b', 'c']) await sessions().put(record(id));
    const page = await sessions().list({ limit: 2 });
    await sessions().remove('b' as SessionId);
    const next = await sessions().list({ limit: 2, cursor: page?.nextCursor ?? '' });
    expect(next?.sessions.map(({ sessionId }) => sessionId)).toEqual(['c']);
  });

  it('answers undefined to a cursor that it did not make', async () => {
    await sessions().put(record('a'));
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const foreign = [
      '',
      'x',
      '!!',
      '0',
      encode({}),
      encode([1]),
      encode(['1', 'a']),
      encode([1, 2]),
      encode([1, 'a', 2]),
      `${encode([1, 'a'])}=`,
    ];
    for (const cursor of foreign) expect(await sessions().list({ limit: 5, cursor })).toBeUndefined();
  });

  it('removes a record with its alias and turns, and no other’s', async () => {
    await sessions().put(record('a', { alias: 'name' }));
    await sessions().put(record('b'));
    await sessions().putTurn(turn('a', 'k', 1));
    await sessions().putTurn(turn('b', 'k', 2));
    await sessions().remove('a' as SessionId);
    await sessions().remove('unknown' as SessionId);
    expect(await sessions().find('a')).toBeUndefined();
    expect(await sessions().find('name')).toBeUndefined();
    expect(await sessions().findTurn('a' as SessionId, 'k')).toBeUndefined();
    expect(await sessions().findTurn('b' as SessionId, 'k')).toEqual(turn('b', 'k', 2));
    expect(await sessions().put(record('c', { alias: 'name' }))).toBe('stored');
  });

  it('keeps the first turn of a key', async () => {
    expect(await Promise.all([sessions().putTurn(turn('a', 'k', 1)), sessions().putTurn(turn('a', 'k', 2))])).toEqual([
      true,
      false,
    ]);
    expect(await sessions().putTurn(turn('a', 'k', 3))).toBe(false);
    expect(await sessions().putTurn(turn('a', 'other', 4))).toBe(true);
    expect(await sessions().findTurn('a' as SessionId, 'k')).toEqual(turn('a', 'k', 1));
    expect(await sessions().findTurn('b' as SessionId, 'k')).toBeUndefined();
  });

  it('keeps records and turns when it is opened again', async ({ skip }) => {
    if (!subject.persistent) skip('this driver forgets by design');
    await sessions().put(record('a', { alias: 'name' }));
    await sessions().putTurn(turn('a', 'k', 1));
    await subject.reopen();
    expect(await sessions().find('name')).toEqual(record('a', { alias: 'name' }));
    expect(await sessions().findTurn('a' as SessionId, 'k')).toEqual(turn('a', 'k', 1));
    expect(await sessions().put(record('b', { alias: 'name' }))).toBe('alias-taken');
  });
}

/** The ids of all pages; every page but the last has `limit` of them. */
async function listed(sessions: SessionStore, limit: number, cwd?: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await sessions.list({
      limit,
      ...(cwd === undefined ? {} : { cwd }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!page) throw new Error('the store does not know its own cursor');
    if (page.nextCursor !== undefined) expect(page.sessions).toHaveLength(limit);
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return ids;
}

function record(id: string, members: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId: id as SessionId,
    agent: 'fake',
    agentSessionId: id,
    cwd: '/project',
    additionalDirectories: [],
    createdAt: 1000,
    updatedAt: 1000,
    agentEpoch: 1 as AgentEpoch,
    closed: false,
    setup: {},
    metadata: {},
    ...members,
  };
}

function turn(id: string, idempotencyKey: string, promptSeq: number) {
  return { sessionId: id as SessionId, idempotencyKey, promptSeq: promptSeq as EventSeq };
}
