import type { AttachedClient } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { describeClient } from './describe-client.ts';

describe('who is attached', () => {
  it('is told by what it says of itself, how it came, what it may, and since when', () => {
    const zed = { name: 'zed', title: 'Zed', version: '1.2' };
    expect(describeClient({ claimed: zed, transport: 'websocket', role: 'controller', since: 0 })).toBe(
      'attached               Zed 1.2 (as it says), ACP over a WebSocket, may act, since 1970-01-01T00:00:00Z',
    );
    expect(describeClient({ transport: 'http', role: 'observer', since: 0 })).toContain(
      'a program without a name, ACP over HTTP, only looks on, ',
    );
    expect(describeClient({ claimed: { name: 'c' }, transport: 'events', role: 'observer', since: 0 })).toContain(
      ' c (as it says), reads the events, since ',
    );
  });

  it('writes nothing of a name to the terminal but text', () => {
    const client = { claimed: { name: '\u001b[2J\u202eevil\n' }, transport: 'new', role: 'observer', since: 0 };
    const line = describeClient(client as unknown as AttachedClient);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(line).toContain('evil');
  });
});
