import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SOCKET_PROTOCOL, socketProtocols, tokenOfProtocols } from './socket-protocols.ts';

describe('the token of a WebSocket', () => {
  it('comes back whatever it is, and is offered in signs that a header takes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (token) => {
        const offered = socketProtocols(token);
        expect(offered[0]).toBe(SOCKET_PROTOCOL);
        for (const name of offered) expect(name).toMatch(/^[a-z\d.]+$/);
        expect(tokenOfProtocols(offered.join(', '))).toBe(token);
        expect(tokenOfProtocols([...offered].reverse().join(','))).toBe(token);
      }),
    );
  });

  it.each([
    '',
    'reeve',
    'acp',
    'reeve.token.',
    'reeve.token.a',
    'reeve.token.zz',
    'reeve.token.6a6',
    'x.reeve.token.61',
  ])('is none in %j', (offered) => {
    expect(tokenOfProtocols(offered)).toBeUndefined();
  });

  it('is not offered where there is none', () => {
    expect(socketProtocols(undefined)).toEqual([SOCKET_PROTOCOL]);
  });
});
