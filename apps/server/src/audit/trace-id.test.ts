import { describe, expect, it } from 'vitest';
import { isTraceId, newTraceId, traceOf, traceparentOf } from './trace-id.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`],
    ['with flags that nobody knows', `00-${TRACE}-${SPAN}-ff`],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`],
    ['of a later version with more behind', `cc-${TRACE}-${SPAN}-01-what-comes-then`],
  ])('%s names its trace', (_, text) => {
    expect(traceOf(text)).toBe(TRACE);
  });

  it.each([
    ['of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['of the version that there is not', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more behind', `00-${TRACE}-${SPAN}-01-more`],
    ['without flags', `00-${TRACE}-${SPAN}`],
    ['with a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['with a path for a trace id', `00-/home/ada/planted-secret/of/thirty-two-${SPAN}-01`],
    ['with a space before', ` 00-${TRACE}-${SPAN}-01`],
    ['with a line end behind', `00-${TRACE}-${SPAN}-01\n`],
    ['sent twice', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['of a later version and without end', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`],
    ['that is no text', { trace: TRACE }],
    ['that is not there', undefined],
  ])('%s names none', (_, text) => {
    expect(traceOf(text)).toBeUndefined();
  });

  it('of Reeve names the trace that it was made for, and no parent twice', () => {
    const made = traceparentOf(traceOf(`00-${TRACE}-${SPAN}-01`) ?? newTraceId());
    expect(traceOf(made)).toBe(TRACE);
    expect(traceparentOf(traceOf(made) ?? newTraceId())).not.toBe(made);
  });
});

it('makes trace ids that are none twice', () => {
  const made = new Set(Array.from({ length: 1000 }, newTraceId));
  expect(made.size).toBe(1000);
  expect([...made].every(isTraceId)).toBe(true);
  expect([TRACE.toUpperCase(), '0'.repeat(32), TRACE.slice(1), `${TRACE}0`].some(isTraceId)).toBe(false);
});
