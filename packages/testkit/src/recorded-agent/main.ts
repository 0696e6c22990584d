/**
 * Plays the agent's part of a recording: `node main.ts FILE`. A message of the client that is the next one of the
 * recording (by its method, or as an answer) is followed by the lines that followed it then, byte for byte, but for the
 * ids of answers. A request that is not the next one gets -32601 and changes nothing.
 */
import { setMember } from '@reeve/protocol';
import { splitLines } from '../split-lines.ts';
import { type RecordedMessage, readRecording } from './recording.ts';

const recording = readRecording(process.argv[2] ?? '');
/** The ids of this run by those of the recording, as JSON text. */
const ids = new Map<string, string>();
let next = 0;

function receive(line: Buffer): void {
  const message = JSON.parse(line.toString('utf8')) as RecordedMessage;
  const expected = recording[next];
  const recorded = JSON.parse(expected?.line ?? '{}') as RecordedMessage;
  if (expected?.from !== 'client' || recorded.method !== message.method) {
    if (message.method !== undefined && message.id !== undefined) refuse(message);
    return;
  }
  if (message.method !== undefined) ids.set(JSON.stringify(recorded.id), JSON.stringify(message.id));
  next += 1;
  play();
}

function play(): void {
  for (let entry = recording[next]; entry?.from === 'agent'; entry = recording[next]) {
    const { id, method } = JSON.parse(entry.line) as RecordedMessage;
    const now = method === undefined ? ids.get(JSON.stringify(id)) : undefined;
    const line = Buffer.from(entry.line);
    process.stdout.write(now === undefined ? line : setMember(line, ['id'], now));
    process.stdout.write('\n');
    next += 1;
  }
}

function refuse({ id, method }: RecordedMessage): void {
  const error = { code: -32601, message: 'not the next message of the recording', data: { method } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
}

process.stdin.on('data', splitLines(receive));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
