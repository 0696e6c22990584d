import { describe, expect, it } from 'vitest';
import { clientLabel } from './client-label.ts';

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

  it('is never what stands for Reeve itself', () => {
    expect(clientLabel({ name: 'reeve' })).toBe('client "reeve"');
    expect(clientLabel({ title: ' Reeve ', name: 'x' })).toBe('client "Reeve"');
    expect(clientLabel({ name: 'http-api', version: '' })).toBe('client "http-api"');
  });
});
