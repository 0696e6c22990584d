import { describe, expect, it } from 'vitest';
import { CallRevocation } from './call-revocation.ts';

describe('a call that was let through', () => {
  it('is revoked for one reason, once', () => {
    const revocation = new CallRevocation();
    const told: string[] = [];
    revocation.onRevoked((reason) => told.push(reason));
    expect(revocation.reason).toBeUndefined();
    revocation.revoke('narrowed');
    revocation.revoke('the session has ended');
    expect(told).toEqual(['narrowed']);
    expect(revocation.reason).toBe('narrowed');
  });

  it('tells at once where it was revoked before anybody listened', () => {
    const revocation = new CallRevocation();
    revocation.revoke('narrowed');
    const told: string[] = [];
    revocation.onRevoked((reason) => told.push(reason));
    expect(told).toEqual(['narrowed']);
  });
});
