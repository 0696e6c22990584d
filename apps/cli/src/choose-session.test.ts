import type { Reeve, SessionInfo } from '@reeve/client';
import { describe, expect, it } from 'vitest';
import { chooseSession } from './choose-session.ts';

type Known = Pick<SessionInfo, 'state' | 'cwd'>;

/** Sessions are named by their place in the list. */
function choose(...sessions: readonly Known[]): Promise<string> {
  const listed = sessions.map((session, at) => ({ ...session, sessionId: String(at) }));
  const reeve = { sessions: { list: async () => ({ sessions: listed }) } } as unknown as Reeve;
  return chooseSession(reeve, undefined, '/here');
}

const at = (state: SessionInfo['state'], cwd = '/there'): Known => ({ state, cwd });

describe('the session that a command is about', () => {
  it('is the only one that has a process, whatever else is open', async () => {
    expect(await choose(at('dormant', '/here'), at('idle'), at('closed'))).toBe('1');
    expect(await choose(at('idle'), at('running', '/here'))).toBe('1');
  });

  it('is the only one that is open where none has a process: a change of its boundary ended that', async () => {
    expect(await choose(at('closed', '/here'), at('dormant'))).toBe('1');
    expect(await choose(at('dormant'), at('failed', '/here'))).toBe('1');
  });

  it.each<[string, readonly Known[], RegExp]>([
    ['several have a process', [at('idle'), at('waiting')], /2 sessions have a process/],
    ['several are open', [at('dormant'), at('failed')], /2 sessions are open, and none has a process/],
    ['none is open', [at('closed')], /no session is open/],
  ])('must be named where %s', async (_, sessions, words) => {
    await expect(choose(...sessions)).rejects.toThrow(words);
  });
});
