import { describe, expect, it } from 'vitest';
import type { ClientProfile } from './acp-version.ts';
import { initializeParams, inVersion, versionOf } from './acp-version.ts';

const clientInfo = { name: 'a', version: '1' };
const one: ClientProfile = { clientCapabilities: { terminal: false }, clientInfo };
const two: ClientProfile = { protocolVersion: 2, clientCapabilities: { elicitation: { form: {} } }, clientInfo };

describe('a profile', () => {
  it('is told an agent in the words of its version', () => {
    expect(initializeParams(one, true)).toMatchObject({
      protocolVersion: 1,
      clientInfo,
      clientCapabilities: { fs: { readTextFile: true }, terminal: true },
    });
    expect(initializeParams(two, true)).toMatchObject({
      protocolVersion: 2,
      info: clientInfo,
      capabilities: { elicitation: { form: {} } },
    });
    expect(initializeParams(two, true)).not.toHaveProperty('capabilities.terminal');
    expect(initializeParams({ protocolVersion: 2, clientCapabilities: {} }, false)).toHaveProperty('info.name');
  });

  it('says nothing of what a client of another version can do', () => {
    expect(inVersion(two, 2)).toBe(two);
    expect(inVersion(two, 1)).toEqual({ clientCapabilities: {}, clientInfo });
    expect(inVersion(one, 2)).toEqual({ protocolVersion: 2, clientCapabilities: {}, clientInfo });
    expect(versionOf(inVersion(one, 2))).toBe(2);
  });
});
