import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, rawOf } from './session-calls.rig.ts';

/** One of each kind of update (ACP, session/update, stable and unstable), and what no version of ACP knows. */
const UPDATES: Readonly<Record<string, string>> = {
  'a message':
    '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hé \\u00e9 🙂"},"messageId":"m1"}',
  'a thought': '{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}',
  'a tool call':
    '{"sessionUpdate":"tool_call","toolCallId":"t","title":"Run","kind":"execute","status":"pending","rawInput":{"a":1.0,"b":1e3}}',
  'a tool call’s progress':
    '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","path":"/a","oldText":null,"newText":"b"}]}',
  'a tool call of a sub-agent':
    '{"sessionUpdate":"tool_call","toolCallId":"s","title":"Sub","status":"in_progress","parentToolCallId":"t","_meta":{"x":{"subagent":"helper"}}}',
  'a plan': '{"sessionUpdate":"plan","entries":[{"content":"one","priority":"high","status":"pending"}]}',
  'a plan that changed': '{"sessionUpdate":"plan_update","plan":{"type":"items","id":"p","entries":[]}}',
  'a plan that is gone': '{"sessionUpdate":"plan_removed","id":"p"}',
  usage: '{"sessionUpdate":"usage_update","used":53000,"size":200000,"cost":{"amount":0.045,"currency":"USD"}}',
  commands: '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search"}]}',
  'a mode': '{"sessionUpdate":"current_mode_update","currentModeId":"plan"}',
  'a title': '{"sessionUpdate":"session_info_update","title":"Named","updatedAt":"2026-01-01T00:00:00Z"}',
  'a compaction': '{"sessionUpdate":"compaction_update","status":"completed","summary":"short","_meta":{"k":[null]}}',
  'what nobody knows': '{"sessionUpdate":"xyzzy","deep":{"a":[1,null,"two",{"é":1.50}]},"big":12345678901234567890}',
};

describe('an update of the agent', () => {
  let rig: SessionRig;

  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it.each(Object.entries(UPDATES))(
    'that is %s reaches clients, the log and later loads bit for bit',
    async (_what, update) => {
      const peer = await rig.connect();
      const sessionId = await newSession(rig, peer);
      const line = `{"jsonrpc":"2.0", "method":"session/update","params":{"sessionId":"${sessionId}","update":${update}}}`;
      await prompt(peer, sessionId, [{ raw: line }]);
      await eventually(() => rawOf(peer, 'session/update')).toContain(line);
      const later = await rig.connect();
      await load(rig, later, sessionId);
      expect(rawOf(later, 'session/update')).toContain(line);
      await later.request('_sandboxagent/session/events', { sessionId, limit: 1000 });
      expect(later.log.some(({ raw }) => raw.includes(`"kind":"update","message":${line}`))).toBe(true);
    },
  );

  it.each(Object.entries(UPDATES))(
    'that is %s and comes after the turn is relayed and kept too',
    async (_what, update) => {
      const peer = await rig.connect();
      const sessionId = await newSession(rig, peer);
      await prompt(peer, sessionId, [{ late: { afterMs: 1, text: update } }]);
      await eventually(() => peer.agentTexts()).toEqual([update]);
      const later = await rig.connect();
      await load(rig, later, sessionId);
      expect(later.agentTexts()).toEqual([update]);
    },
  );
});
