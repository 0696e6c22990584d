import { describe, expect, it } from 'vitest';
import { admit, admitAddresses } from './admission.ts';
import { parseAllowList, type Target } from './allow-list.ts';
import { parseAuthority } from './request-target.ts';

function rule(...entries: string[]) {
  const parsed = parseAllowList(entries);
  if (parsed.kind === 'malformed') throw new Error(parsed.message);
  return parsed.list;
}
const target = (text: string) => parseAuthority(text) as Target;

describe('admission', () => {
  it('refuses what is not declared, and says what to ask for', () => {
    const answer = admit(rule('a.example'), target('b.example:443'));
    expect(answer).toMatchObject({ kind: 'refused', decision: 'denied', reason: 'not-declared' });
    expect(answer).toMatchObject({ message: expect.stringContaining('add "b.example:443"') });
  });

  it('has a declared name resolved, and dials a declared address as it is', () => {
    expect(admit(rule('a.example'), target('a.example:443'))).toEqual({ kind: 'resolve', name: 'a.example' });
    expect(admit(rule('10.0.0.5:22'), target('10.0.0.5:22'))).toEqual({ kind: 'admitted', addresses: ['10.0.0.5'] });
  });

  it('looks for a service on loopback where it was declared, and resolves no name for it', () => {
    expect(admit(rule('localhost:80'), target('localhost:80'))).toEqual({
      kind: 'admitted',
      addresses: ['127.0.0.1', '::1'],
    });
    expect(admit(rule('[::1]:80'), target('localhost:80'))).toEqual({ kind: 'admitted', addresses: ['::1'] });
  });
});

describe('the addresses of a declared name', () => {
  const check = (addresses: readonly string[], own: readonly string[] = [], ...more: string[]) =>
    admitAddresses(rule('a.example', ...more), target('a.example:443'), addresses, own);

  it.each([
    ...['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '0.0.0.0', '::ffff:127.0.0.1', 'fe80::1', 'fd00:ec2::254'],
    '64:ff9b::7f00:1',
  ])('are refused if they are %s', (address) => {
    const answer = check([address]);
    expect(answer).toMatchObject({ kind: 'refused', decision: 'denied', reason: 'special-address' });
  });

  it('are refused if they are what the resolver should never say', () => {
    expect(check(['fe80::1%eth0', 'nonsense'])).toMatchObject({ kind: 'refused', reason: 'special-address' });
  });

  it('are refused if they are this machine’s own', () => {
    expect(check(['93.184.215.14'], ['93.184.215.14'])).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('93.184.215.14:443 (of this machine)'),
    });
  });

  it('are dialled but for those that are refused', () => {
    expect(check(['127.0.0.1', '93.184.215.14', '10.0.0.1'])).toEqual({
      kind: 'admitted',
      addresses: ['93.184.215.14'],
    });
  });

  it('are dialled if they are declared themselves, for that port', () => {
    expect(check(['10.0.0.1'], [], '10.0.0.1:443')).toEqual({ kind: 'admitted', addresses: ['10.0.0.1'] });
    expect(check(['10.0.0.1'], [], '10.0.0.1:8443')).toMatchObject({ kind: 'refused' });
  });

  it('may be none', () => {
    expect(check([])).toMatchObject({ kind: 'refused', decision: 'failed', reason: 'unresolved' });
  });
});
