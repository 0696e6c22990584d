import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import {
  askQuestion,
  elicit,
  fsRead,
  fsWrite,
  request,
  requestPermission,
  runTerminal,
  withSession,
} from './client-steps.ts';
import { floodChunks } from './flood.ts';
import { callMcp } from './mcp-call.ts';
import { type PacedSpec, pacedText, wallClockMs } from './paced.ts';
import type { Step, StepArguments, StepName } from './script.ts';
import type { Turn } from './turn.ts';

type Performers = { readonly [Name in StepName]: (argument: StepArguments[Name], turn: Turn) => Promise<void> | void };

const performers: Performers = {
  say: (text, turn) => turn.say(text),
  update: (update, turn) => turn.update(withSession(update, turn) as object),
  mode: (currentModeId, turn) => turn.update({ sessionUpdate: 'current_mode_update', currentModeId }),
  title: (title, turn) =>
    turn.update({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() }),
  flood: async (spec, turn) => {
    turn.keep({ kind: 'flood', flood: spec });
    let chunks = 0;
    for (const chunk of floodChunks(turn.sessionId, spec)) {
      await turn.connection.write(chunk);
      // A write that the pipe takes at once resolves without the event loop turning; a cancel must still be read.
      if (++chunks % 8 === 0) await nextTick();
      if (turn.signal.aborted) return;
    }
  },
  paced: (spec, turn) => pace(spec, turn),
  permission: requestPermission,
  fsRead,
  fsWrite,
  terminal: runTerminal,
  elicit,
  question: askQuestion,
  mcp: callMcp,
  request,
  notify: ({ method, params }, turn) => turn.connection.send({ method, params: withSession(params, turn) }),
  raw: (line, turn) => turn.connection.write(`${line.replaceAll('$SESSION', turn.sessionId)}\n`),
  repeat: async ({ rounds, steps }, turn) => {
    const text = JSON.stringify(steps);
    for (let round = 1; round <= rounds && !turn.signal.aborted; round++) {
      for (const step of JSON.parse(text.replaceAll('$ROUND', String(round))) as Step[]) await performStep(step, turn);
      // A write that the pipe takes at once resolves without the event loop turning; a cancel must still be read.
      if (round % 100 === 0) await nextTick();
    }
  },
  sleep: (ms, turn) => untilAborted(turn.signal, ms),
  untilCancel: async (argument, turn) => {
    await untilAborted(turn.signal);
    if (argument !== true) await turn.say(argument.say);
  },
  crash: async (how, turn) => {
    if (how.stderr !== undefined) await new Promise((resolve) => process.stderr.write(`${how.stderr}\n`, resolve));
    await turn.connection.write('');
    if ('code' in how) process.exit(how.code);
    process.kill(process.pid, how.signal);
    await new Promise(() => undefined);
  },
  garbage: (bytes, turn) => turn.connection.write(garbageLine(bytes)),
  bigLine: (bytes, turn) => turn.say('b'.repeat(bytes)),
  late: ({ afterMs, text }, turn) => turn.afterResponse(() => setTimeout(() => void turn.say(text), afterMs)),
  usage: async (_, turn) => {
    const { sessionId } = turn;
    const usage = { inputTokens: 11, outputTokens: 7 };
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'with usage' }, usage };
    await turn.connection.send({
      method: 'session/update',
      params: { sessionId, update, usage, timestamp: '2026-01-01T00:00:00.000Z' },
      usage,
    });
    await turn.update({ sessionUpdate: 'fake_unknown_variant', payload: { deep: [1, null, 'two'] } });
    turn.respondWith({ usage, userMessageId: 'fake-user-message' });
  },
  envName: (name, turn) => {
    const value = process.env[name];
    return turn.say(JSON.stringify({ name, set: value !== undefined, value }));
  },
  refuseCancel: (_, turn) => turn.refuseCancel(),
  received: (which, turn) => turn.say(JSON.stringify(turn.received[which] ?? null)),
  stderr: (text) => new Promise<void>((resolve) => process.stderr.write(`${text}\n`, () => resolve())),
  stop: (stopReason, turn) => turn.end({ kind: 'stopped', stopReason }),
  fail: (error, turn) => turn.end({ kind: 'failed', error }),
};

/** Throws, naming the steps there are, when `step` is none of them. */
export async function performStep(step: Step, turn: Turn): Promise<void> {
  const [name, ...others] = Object.keys(step);
  if (name === undefined || others.length > 0 || !Object.hasOwn(performers, name)) {
    throw new Error(
      `no such step: ${JSON.stringify(step)}; a step has one key of ${Object.keys(performers).join(' ')}`,
    );
  }
  const perform = performers[name as StepName] as (argument: unknown, turn: Turn) => Promise<void> | void;
  await perform((step as Record<string, unknown>)[name], turn);
}

async function pace(spec: PacedSpec, turn: Turn): Promise<void> {
  const total = Math.round(spec.perSecond * spec.seconds);
  const start = wallClockMs();
  for (let index = 0; index < total && !turn.signal.aborted; index++) {
    const early = start + (index * 1000) / spec.perSecond - wallClockMs();
    if (early > 0) await delay(early);
    const text = pacedText(spec, { index, sentAtMs: wallClockMs() });
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
    await turn.connection.send({ method: 'session/update', params: { sessionId: turn.sessionId, update } });
  }
}

/** Resolves at the abort, or after `ms` if that comes first. */
async function untilAborted(signal: AbortSignal, ms?: number): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

function garbageLine(bytes: number): Buffer {
  const line = Buffer.alloc(bytes + 1, 0xff);
  for (let at = 0; at < bytes; at += 7) line[at] = 0x7b;
  line[bytes] = 0x0a;
  return line;
}
