import { describe, expect, it } from 'vitest';
import { wantedVersion } from './wanted-version.ts';

const info = { name: 'a', version: '1' };

describe('the version that a client wants', () => {
  it.each([1, 0, 2, 3, 65_535])('is v1 for %d in the words of v1', (protocolVersion) => {
    expect(wantedVersion({ protocolVersion })).toEqual({ kind: 'v1' });
    expect(wantedVersion({ protocolVersion, clientCapabilities: {} })).toEqual({ kind: 'v1' });
    expect(wantedVersion({ protocolVersion, clientInfo: info, info })).toEqual({ kind: 'v1' });
  });

  it.each([2, 3, 65_535])('is v2 for %d in the words of v2', (requested) => {
    expect(wantedVersion({ protocolVersion: requested, info })).toEqual({ kind: 'v2', requested });
    expect(wantedVersion({ protocolVersion: requested, info, capabilities: {} })).toEqual({ kind: 'v2', requested });
  });

  it('is v1 for 1, whatever the words', () => {
    expect(wantedVersion({ protocolVersion: 1, info, capabilities: {} })).toEqual({ kind: 'v1' });
  });

  it.each([undefined, null, {}, { name: 'a' }, { name: 1, version: '1' }])(
    'is none where v2 is asked for without saying who asks: %j',
    (bad) => {
      expect(wantedVersion({ protocolVersion: 2, capabilities: {}, info: bad })).toMatchObject({ kind: 'invalid' });
    },
  );

  it('is 2 where a later version introduces itself in a way that v2 does not know', () => {
    expect(wantedVersion({ protocolVersion: 3, info: { id: 'a' } })).toEqual({ kind: 'v2', requested: 3 });
  });

  it.each([undefined, '2', 1.5, null])('is none for %j', (protocolVersion) => {
    expect(wantedVersion({ protocolVersion, info })).toMatchObject({ kind: 'invalid' });
  });
});
