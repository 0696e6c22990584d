import { describe, expect, it } from 'vitest';
import { claimedClient, clientLabel } from './client-label.ts';

describe('the label of a client', () => {
  it('is its title or name with its version, bounded', () => {
    expect(clientLabel({ name: 'zed', version: '1.2' })).toBe('zed 1.2');
    expect(clientLabel({ name: 'zed', title: 'Zed', version: '1.2' })).toBe('Zed 1.2');
    expect(clientLabel({ name: 'n'.repeat(1000), version: {} })).toBe('n'.repeat(100));
  });

  it('says so where there is none', () => {
    for (const none of [undefined, {}, { name: '' }, { name: 7, version: null }]) {
      expect(clientLabel(none)).toBe('unnamed client');
    }
  });

  it('comes with what it says of itself, each bounded, whatever that is', () => {
    const claimed = { name: 'zed', title: 'Zed', version: '1.2' };
    expect(claimedClient({ ...claimed, more: {} })).toEqual(claimed);
    expect(claimedClient({ title: 'Zed', version: 7 })).toEqual({ name: 'Zed', title: 'Zed' });
    expect(claimedClient({ name: 'n'.repeat(1000) })).toEqual({ name: 'n'.repeat(100) });
    for (const none of [undefined, {}, { name: [], version: '1' }]) expect(claimedClient(none)).toBeUndefined();
  });

  it('is never what stands for Reeve itself', () => {
    expect(clientLabel({ name: 'reeve' })).toBe('client "reeve"');
    expect(clientLabel({ title: ' Reeve ', name: 'x' })).toBe('client "Reeve"');
    expect(clientLabel({ name: 'http-api', version: '' })).toBe('client "http-api"');
  });
});
