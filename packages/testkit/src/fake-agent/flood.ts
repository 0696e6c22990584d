export interface FloodSpec {
  readonly count: number;
  /** Exact length of each update's text, in bytes. */
  readonly bytes: number;
  /** Stands before the index, with a colon between. */
  readonly label?: string;
}

/** About this many bytes leave in one write; small enough to alternate two buffers, large enough for full speed. */
const targetChunkBytes = 128 * 1024;

/**
 * The text of update number `index`, counted from 0: `label:000123....`, zero-padded to the width of the last index.
 * Throws when `bytes` cannot hold label and index.
 */
export function floodText(spec: FloodSpec, index: number): string {
  const head = `${labelOf(spec)}${String(index).padStart(digitsOf(spec), '0')}`;
  const room = spec.bytes - Buffer.byteLength(head);
  if (room < 0) throw new Error(`flood: bytes must be at least ${Buffer.byteLength(head)} for this count and label`);
  return head + '.'.repeat(room);
}

/** The index that a flood's text carries, or undefined when it is no text of such a flood. */
export function floodIndex(spec: FloodSpec, text: string): number | undefined {
  const label = labelOf(spec);
  const index = Number(text.slice(label.length, label.length + digitsOf(spec)));
  return Number.isInteger(index) && index < spec.count && text === floodText(spec, index) ? index : undefined;
}

/**
 * The flood as `session/update` lines in chunks of many. Two buffers alternate: a yielded chunk is overwritten two
 * steps later, so the consumer writes each out before it asks for the one after the next.
 */
export function* floodChunks(sessionId: string, spec: FloodSpec): Generator<Buffer, void, void> {
  if (spec.count <= 0) return;
  const line = (index: number): Buffer => Buffer.from(updateLine(sessionId, floodText(spec, index)));
  const lineBytes = line(0).length;
  const digits = digitsOf(spec);
  // A power of ten, so that the low digits of the index are the same in every chunk and need no rewriting.
  let lowDigits = 0;
  while (lowDigits < Math.min(3, digits) && 10 ** (lowDigits + 1) * lineBytes <= 2 * targetChunkBytes) lowDigits++;
  const perChunk = 10 ** lowDigits;
  const highDigits = digits - lowDigits;
  const digitsAt = line(0).lastIndexOf(floodText(spec, 0)) + Buffer.byteLength(labelOf(spec));

  const lines = Array.from({ length: Math.min(perChunk, spec.count) }, (_, index) => line(index));
  const first = Buffer.concat(lines);
  const buffers = [first, Buffer.from(first)] as const;
  for (let chunk = 0; chunk * perChunk < spec.count; chunk++) {
    const buffer = chunk % 2 === 0 ? buffers[0] : buffers[1];
    const high = Buffer.from(highDigits === 0 ? '' : String(chunk).padStart(highDigits, '0'), 'latin1');
    for (let at = digitsAt; at < buffer.length; at += lineBytes) {
      for (let digit = 0; digit < high.length; digit++) buffer[at + digit] = high[digit] as number;
    }
    yield buffer.subarray(0, Math.min(perChunk, spec.count - chunk * perChunk) * lineBytes);
  }
}

function updateLine(sessionId: string, text: string): string {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`;
}

function labelOf(spec: FloodSpec): string {
  const label = spec.label ?? '';
  if (/[^ !#-[\]-~]/.test(label))
    throw new Error('flood: the label must be printable ASCII without quotes or backslash');
  return label === '' ? '' : `${label}:`;
}

function digitsOf(spec: FloodSpec): number {
  return String(Math.max(0, spec.count - 1)).length;
}
