import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Step, script } from '@reeve/testkit';
import { openChromium } from '../../e2e/console/open-console.ts';
import type { Benchmark, Figure, Goal } from '../benchmark.ts';
import { readSession, type SessionReading } from '../browsers/session-page.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { median } from '../statistics.ts';

const DIST = resolve(import.meta.dirname, '../../apps/console/dist');
const FIRST = 'the very first words';
const LAST = 'the very last words';
/** Events of one turn: a message in many chunks, and tool calls that begin and end. */
const CHUNKS = 480;
const TOOL_CALLS = 10;

export const webConsole: Benchmark = {
  name: 'console',
  title: 'A session of 100,000 events in the console, in Chromium',
  async run({ quick, rounds, note }) {
    const turns = quick ? 20 : 200;
    await using opened = new AsyncDisposableStack();
    const reeve = opened.use(await spawnReeve());
    const sessionId = await longSession(reeve, turns);
    note('the session is written');
    const browser = await openChromium();
    opened.defer(() => browser.close());

    const readings: SessionReading[] = [];
    const page = { url: reeve.url, token: reeve.token, sessionId, first: FIRST, last: LAST, patienceMs: 180_000 };
    // One more than is counted: the first finds a cold server.
    for (let round = 0; round <= rounds; round++) {
      const reading = await readSession(browser, page);
      if (round > 0) readings.push(reading);
      note(`round ${round}: ${Math.round(reading.tailMs)} ms, ${Math.round(reading.longestTaskMs)} ms`);
    }
    const of = (figure: Exclude<keyof SessionReading, 'reachedStart'>): number[] =>
      readings.map((reading) => reading[figure]);
    const figure = (what: string, unit: string, samples: readonly number[]): Figure => {
      return { who: 'the page', what, unit, samples };
    };
    const scriptKb = packedScriptKb();
    return {
      figures: [
        figure('first paint of the tail', 'ms', of('tailMs')),
        figure('longest task while scrolling', 'ms', of('longestTaskMs')),
        figure('heap, tail in sight', 'MB', of('tailHeapMb')),
        figure('heap, all events loaded', 'MB', of('wholeHeapMb')),
        figure('nodes, all events loaded', '', of('nodes')),
        figure('initial script, packed', 'KB', [scriptKb]),
      ],
      goals: [
        atMost('first paint of the tail', 1000, 'ms', median(of('tailMs'))),
        atMost('longest task while scrolling', 100, 'ms', median(of('longestTaskMs'))),
        atMost('initial script, packed', 200, 'KB', scriptKb),
      ],
      faults: [],
      remarks: [
        `${turns.toLocaleString('en')} turns with ${CHUNKS} chunks of a message and ${TOOL_CALLS} tool calls each; scrolled to the first event and back`,
        'a browser tells of tasks from 50 ms up: 0 ms means none as long as that',
        ...(readings.every(({ reachedStart }) => reachedStart) ? [] : ['not every round reached the first event']),
      ],
    };
  },
};

/** A session of about 500 events a turn; its id. */
async function longSession(reeve: Awaited<ReturnType<typeof spawnReeve>>, turns: number): Promise<string> {
  await using author = await WebSocketClient.open(reeve);
  const sessionId = await newSession(author);
  for (let turn = 0; turn < turns; turn++) {
    const steps: Step[] = [{ flood: { count: CHUNKS, bytes: 64, label: `turn ${turn}` } }, ...toolCalls(turn)];
    if (turn === 0) steps.unshift({ say: `${FIRST}\n\n` });
    if (turn === turns - 1) steps.push({ say: LAST });
    await author.request('session/prompt', promptText(sessionId, script(...steps)));
  }
  return sessionId;
}

function toolCalls(turn: number): Step[] {
  return Array.from({ length: TOOL_CALLS }, (_, index): Step[] => {
    const toolCallId = `call-${turn}-${index}`;
    const content = [
      { type: 'diff', path: `/tmp/file-${index}.ts`, oldText: 'one\ntwo\n', newText: 'one\n2\nthree\n' },
    ];
    return [
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId,
          title: `Change file ${index}`,
          kind: 'edit',
          status: 'pending',
        },
      },
      { update: { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content } },
    ];
  }).flat();
}

/** What the first screen needs of script, as it goes over the wire, in KB (10^3 bytes). Throws while the page is not built. */
function packedScriptKb(): number {
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '');
  return files.reduce((bytes, file) => bytes + gzipSync(readFileSync(join(DIST, file))).length, 0) / 1000;
}

function atMost(what: string, goal: number, unit: string, value: number): Goal {
  return { what, goal: `≤ ${goal} ${unit}`, value: `${value.toFixed(0)} ${unit}`, met: value <= goal };
}
