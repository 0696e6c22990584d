import { randomBytes, randomFillSync } from 'node:crypto';

/** Names one cause and all that follows from it (W3C Trace Context, section 3.2.2.3): 32 lower-case hex digits, not all zero. */
export type TraceId = string & { readonly __brand: 'TraceId' };

/** Longest `traceparent` of a later version that is looked at; version 00 has 55 characters. */
const MAX_LENGTH = 256;
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/s;
const TRACE_ID = /^(?!0{32})[\da-f]{32}$/;

export function isTraceId(text: string): text is TraceId {
  return TRACE_ID.test(text);
}

const TRACE_BYTES = 16;
const NO_TRACE = '0'.repeat(2 * TRACE_BYTES);
/** Drawn for many at once: asking for sixteen bytes costs as much as for all these. */
const drawn = Buffer.alloc(256 * TRACE_BYTES);
let used = drawn.length;

export function newTraceId(): TraceId {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const id = drawn.toString('hex', used, used + TRACE_BYTES);
  used += TRACE_BYTES;
  return id === NO_TRACE ? newTraceId() : (id as TraceId);
}

/** The trace that a `traceparent` names, whatever else it says; undefined for one that is malformed (W3C Trace Context, section 3.2). */
export function traceOf(traceparent: unknown): TraceId | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_LENGTH) return undefined;
  const [, version, trace, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === '00' && more !== undefined) return undefined;
  return trace as TraceId | undefined;
}

/** A `traceparent` of something that Reeve does in a trace; nothing is known of who samples it. */
export function traceparentOf(trace: TraceId): string {
  const span = randomBytes(8).toString('hex');
  return /^0+$/.test(span) ? traceparentOf(trace) : `00-${trace}-${span}-00`;
}
