import { newSessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import type { SessionRecord } from '../../sessions/session-store.ts';
import { jsonOfRecord } from './json-of-record.ts';

const roots = [{ path: '/a', access: 'rw' as const, name: 'A "quoted"' }];
const boundary = { roots, network: { kind: 'hosts' as const, hosts: [] }, revision: 3 } as never;
const identities = [{ path: '/a', kind: 'directory' as const, dev: '1', ino: '2', born: '3', boot: 'b' }];
const place = { boundary, cwd: '/a', additionalDirectories: [], named: [], identities };
const record = {
  sessionId: newSessionId(),
  agent: 'fake',
  cwd: '/a',
  place,
  metadata: { boundary: { roots, require: 'declared' }, note: ['x'] },
} as unknown as SessionRecord;

describe('JSON of a session', () => {
  it.each([
    ['with a boundary in its place and its metadata', record],
    ['without a place', { ...record, place: undefined }],
    ['with a place from before it was kept what roots were', { ...record, place: { ...place, identities: undefined } }],
    ['with a boundary that is only named in part', { ...record, metadata: { boundary: { network: 'full' } } }],
    ['with other metadata', { ...record, metadata: { boundary: null, note: 1 } }],
    ['without metadata', { ...record, metadata: {} }],
  ])('means the record %s', (_how, one) => {
    const expected = JSON.parse(JSON.stringify(one));
    expect(JSON.parse(jsonOfRecord(one as SessionRecord))).toEqual(expected);
    // What is known by now is the same.
    expect(JSON.parse(jsonOfRecord(one as SessionRecord))).toEqual(expected);
  });

  it('has what changed beside what did not', () => {
    const before = jsonOfRecord(record);
    const after = { ...record, title: 'other', place: { ...place, cwd: '/b' } };
    expect(JSON.parse(jsonOfRecord(after as SessionRecord))).toEqual(JSON.parse(JSON.stringify(after)));
    expect(jsonOfRecord(record)).toBe(before);
  });
});
