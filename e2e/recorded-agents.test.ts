import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, META_KEY, memberSpan, removeMember, setMember } from '@reeve/protocol';
import {
  fakeAgentCommand,
  type JsonRpcId,
  type JsonRpcPeer,
  type RecordedLine,
  type RecordedMessage,
  readRecording,
  recordedAgentCommand,
  type SpawnedReeve,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INTRODUCTION } from './conformance/cell.ts';
import { openWirePeer } from './conformance/wire-peer.ts';
import { REAL_AGENT_NAMES } from './real-agents.ts';
import { CLIENT_TRANSPORTS } from './sdk-client.ts';

const recordingOf = (name: string): string => join(import.meta.dirname, 'recordings', `${name}.jsonl`);

/** Recordings are made by e2e/record-agents.ts; every agent line stands in them as the real agent wrote it. */
describe.each(CLIENT_TRANSPORTS)('over %s', (transport) => {
  let reeve: SpawnedReeve;
  let cwd: string;

  beforeAll(async () => {
    cwd = await realpath(await mkdtemp(join(tmpdir(), 'reeve-recorded-')));
    const recorded = REAL_AGENT_NAMES.map((name) => [name, recordedAgentCommand(recordingOf(name))] as const);
    const agents = { ...Object.fromEntries(recorded), fake: fakeAgentCommand() };
    reeve = await startReeve({ config: { agents, defaultAgent: 'fake' } });
  });
  afterAll(async () => {
    await reeve?.[Symbol.asyncDispose]();
    await rm(cwd, { recursive: true, force: true });
  });

  it.each(REAL_AGENT_NAMES)(
    'a session of %s reaches the client byte for byte but for ids and our _meta',
    async (name) => {
      await using wire = await openWirePeer(reeve, transport, name);
      const { peer } = wire;
      peer.onRequest('*', () => new Promise(() => {}));
      const recording = throughReeve(readRecording(recordingOf(name)));
      const turns = recording.filter(({ line }) => line.includes('"stopReason"'));
      expect(turns.length).toBe(4);
      let seen = 0;
      let asked: JsonRpcId = null;
      for (const { from, line } of recording) {
        const recorded = JSON.parse(line) as RecordedMessage;
        if (from === 'client') {
          if (recorded.method !== undefined) peer.sendRaw(line.replaceAll('$CWD', cwd));
          else peer.sendRaw(withId(line, asked));
          continue;
        }
        seen += 1;
        const got = await nthIncoming(peer, seen);
        const { id = null, method } = JSON.parse(got) as RecordedMessage;
        if (method !== undefined && recorded.id !== undefined) asked = id;
        // What Reeve itself offers its clients is in this one answer.
        if (line.includes('"agentCapabilities"')) expect(JSON.parse(got)).toMatchObject(JSON.parse(line));
        else expect(plain(got, line)).toBe(line);
      }
      expect(wire.refusals).toEqual([]);
      expect(incoming(peer)).toHaveLength(seen);
    },
  );

  it('what JSON readers would change on the way is not changed', async () => {
    await using wire = await openWirePeer(reeve, transport, 'fake');
    const { peer } = wire;
    await peer.request('initialize', INTRODUCTION);
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const begin = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":';
    const lines = [
      `${begin}{"sessionUpdate":"x_numbers","n":[9007199254740993,1e400,-0,1.10,0.1e-7,123456789012345678901234567890]}}}`,
      `${begin}{"sessionUpdate":"x_twice","a":1,"a":2,"a":{"a":3,"a":4}},"x":1,"x":2},"x":1,"x":2}`,
      `${begin}{"sessionUpdate":"x_escapes","s":"\\u00e9\\/\\ud83e\\udd89\\u2028 \\uD83E \\u0000 é"}}}`,
      `${begin}{"sessionUpdate":"x_separators","s":"\u2028 \u2029 \u0085 \uFEFF"}}}`,
      `${begin}{ "sessionUpdate" :\t"x_spaces" , "s":""  } }  }   `,
      `${begin}{"sessionUpdate":"x_names","__proto__":{"a":1},"constructor":null,"":"","toJSON":1}}}`,
    ];
    const text = script(...lines.map((raw) => ({ raw })));
    await peer.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    const got = peer.log.filter(({ direction, message }) => direction === 'in' && message?.method === 'session/update');
    expect(got.map(({ raw }) => raw)).toEqual(lines.map((line) => line.replace('$SESSION', sessionId)));
  });
});

/**
 * A recording as Reeve's client sees it: it is not asked for what it did not announce (some agents ask all the same; Reeve
 * answers), and what an agent says before its answer to `session/new` comes behind that answer, as there is no session before.
 */
function throughReeve(recording: readonly RecordedLine[]): RecordedLine[] {
  const served = (line: string): boolean =>
    (JSON.parse(line) as RecordedMessage).method === 'session/request_permission';
  const unserved = new Set<unknown>();
  const seen = recording.filter(({ from, line }) => {
    const { id, method } = JSON.parse(line) as RecordedMessage;
    if (from === 'agent' && method !== undefined && id !== undefined && !served(line)) unserved.add(id);
    const isAnswer = from === 'client' && method === undefined;
    return !(unserved.has(id) && (isAnswer || (from === 'agent' && method !== undefined && id !== undefined)));
  });
  const asked = seen.findIndex(({ line }) => line.includes('"method":"session/new"'));
  const answered = seen.findIndex(({ line }, index) => index > asked && line.includes('"result":'));
  return [
    ...seen.slice(0, asked + 1),
    ...seen.slice(answered, answered + 1),
    ...seen.slice(asked + 1, answered),
    ...seen.slice(answered + 1),
  ];
}

/** A message of Reeve with the id of `recorded`, and without what Reeve added under its own key of `_meta`. */
function plain(got: string, recorded: string): string {
  let json: Buffer = Buffer.from(got);
  const original = Buffer.from(recorded);
  for (const root of ['result', 'params']) {
    json = removeMember(json, [root, '_meta', META_KEY]);
    if (memberSpan(original, [root, '_meta']) === undefined && isEmptyObject(json, [root, '_meta'])) {
      json = removeMember(json, [root, '_meta']);
    }
  }
  const { id } = JSON.parse(recorded) as RecordedMessage;
  return id === undefined ? json.toString('utf8') : withId(json.toString('utf8'), id);
}

function isEmptyObject(json: Buffer, path: readonly string[]): boolean {
  const span = memberSpan(json, path);
  if (span === undefined) return false;
  const value: unknown = JSON.parse(json.subarray(span.start, span.end).toString('utf8'));
  return isObject(value) && Object.keys(value).length === 0;
}

function withId(line: string, id: JsonRpcId): string {
  return setMember(Buffer.from(line), ['id'], JSON.stringify(id)).toString('utf8');
}

function incoming({ log }: JsonRpcPeer): string[] {
  return log.flatMap(({ direction, raw }) => (direction === 'in' ? [raw] : []));
}

async function nthIncoming(peer: JsonRpcPeer, count: number): Promise<string> {
  await expect.poll(() => incoming(peer).length, { interval: 5 }).toBeGreaterThanOrEqual(count);
  return incoming(peer)[count - 1] ?? '';
}
