import { describe, expect, it } from 'vitest';
import { Availability } from './availability.ts';

describe('why a server is not there', () => {
  it('is forgotten of a refusal as soon as it is over, and kept of an end', () => {
    const server = new Availability('files', () => {});
    server.become('refused', 'Nobody decided.');
    expect(server.unavailable()).toContain('Nobody decided.');
    for (const state of ['waiting', 'starting', 'running'] as const) server.become(state);
    expect(server.lastError).toBeUndefined();
    server.become('restarting', 'it ended with 1');
    server.become('running');
    expect(server.lastError).toBe('it ended with 1');
  });
});
