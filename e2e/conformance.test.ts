import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cell, openCell } from './conformance/cell.ts';
import { CHECKS } from './conformance/checks.ts';
import { KNOWN_BREAKS, NOT_OFFERED } from './conformance/known-breaks.ts';
import { openSubject, SUBJECT_NAMES, type Subject } from './conformance/subject.ts';
import { CLIENT_TRANSPORTS } from './sdk-client.ts';

/** The ids are those of the public conformance kit for ACP v1 agents; `REEVE-…` are ours. */
describe.each(SUBJECT_NAMES)('with the agent %s behind it, Reeve is an ACP v1 agent', (name) => {
  let subject: Subject;

  beforeAll(async () => {
    subject = await openSubject(name);
  });
  afterAll(() => subject?.[Symbol.asyncDispose]());

  describe.each(CLIENT_TRANSPORTS)('over %s', (transport) => {
    let cell: Cell;

    beforeAll(async () => {
      cell = await openCell(subject, transport);
    });
    afterAll(() => cell?.[Symbol.asyncDispose]());

    it.each(CHECKS)('$id: $holds', async ({ id, applies, run }) => {
      expect(NOT_OFFERED[name].includes(id)).toBe(applies?.(cell) === false);
      if (applies?.(cell) === false) return;
      const known = KNOWN_BREAKS.find((it) => it.id === id && it.agent === name);
      if (known === undefined) await run(cell);
      else await expect(run(cell), `${id} holds now; it was listed because ${known.reason}`).rejects.toThrow();
    });
  });
});
