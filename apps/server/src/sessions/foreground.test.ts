import type { JsonObject, SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { Foreground, isMomentary } from './foreground.ts';

function open() {
  const told: unknown[] = [];
  const seen = { changes: 0, cancelled: 0 };
  const foreground = new Foreground({
    sessionId: 's' as SessionId,
    append: (message) => told.push(JSON.parse(message.toString())),
    onChange: () => {
      seen.changes += 1;
    },
    onCancelled: () => {
      seen.cancelled += 1;
    },
  });
  const tell = (state: string, more: JsonObject = {}): void =>
    foreground.follow({ sessionUpdate: 'state_update', state, ...more });
  return { foreground, told, seen, tell };
}

describe('the foreground of a v2 session', () => {
  it('is idle until the agent says otherwise, and busy in every state that is not idle', () => {
    const { foreground, tell } = open();
    expect(foreground.busy).toBe(false);
    for (const state of ['running', 'requires_action', '_other']) {
      tell(state);
      expect(foreground.busy).toBe(true);
    }
    tell('requires_action');
    expect(foreground.blocked).toBe(true);
    tell('idle', { stopReason: 'end_turn' });
    expect(foreground).toMatchObject({ busy: false, blocked: false, stopReason: 'end_turn', runs: 1 });
  });

  it('counts a repeated end once', () => {
    const { foreground, seen, tell } = open();
    tell('running');
    tell('idle', { stopReason: 'cancelled' });
    tell('idle', { stopReason: 'cancelled' });
    expect(foreground.runs).toBe(1);
    expect(seen).toEqual({ changes: 2, cancelled: 1 });
  });

  it('gives who comes later the last state as it was told', () => {
    const { foreground, tell } = open();
    tell('running', { background: [{ type: 'terminal', terminalId: 't' }], _meta: { a: 1 } });
    expect(foreground.background).toBe(true);
    expect(JSON.parse(foreground.snapshot().toString())).toEqual({
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's',
        update: {
          sessionUpdate: 'state_update',
          state: 'running',
          background: [{ type: 'terminal', terminalId: 't' }],
          _meta: { a: 1 },
        },
      },
    });
  });

  it('is ended by Reeve where the agent cannot any more, and only where work goes on', async () => {
    const { foreground, told, tell } = open();
    foreground.settle({ stopReason: 'cancelled' });
    await foreground.finish(0);
    expect(told).toEqual([]);
    tell('running');
    await foreground.finish(1);
    expect(told).toMatchObject([{ params: { update: { state: 'idle', stopReason: 'cancelled' } } }]);
    expect(foreground.busy).toBe(false);
  });

  it('lets who waits go when it is over, or when the wait is', async () => {
    const { foreground, tell } = open();
    tell('running');
    const over = foreground.until(() => !foreground.busy);
    tell('idle');
    await over;
    const controller = new AbortController();
    const never = foreground.until(() => false, controller.signal);
    controller.abort();
    await never;
    const gone = foreground.until(() => foreground.interruptions === 1);
    foreground.settle({ stopReason: 'cancelled' });
    await gone;
    expect(foreground.runs).toBe(1);
  });
});

it('tells what is no history', () => {
  expect(isMomentary({ sessionUpdate: 'state_update' })).toBe(true);
  expect(isMomentary({ sessionUpdate: 'notice' })).toBe(true);
  expect(isMomentary({ sessionUpdate: 'user_message' })).toBe(false);
  expect(isMomentary(undefined)).toBe(false);
});
