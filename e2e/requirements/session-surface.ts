import { choiceRows } from './choice-rows.ts';
import { conversationRows } from './conversation-rows.ts';
import type { Requirement } from './requirement.ts';
import type { SurfaceRow } from './surface-row.ts';

/** Each capability of a session, in the order of protocol section 1. */
export const surfaceRows: readonly SurfaceRow[] = [...conversationRows, ...choiceRows];

/** The same rows as promises. */
export const sessionSurface: readonly Requirement[] = surfaceRows.flatMap(({ capability, has, lacks }, index) => {
  const source = `protocol 1: ${capability}`;
  const id = `SURFACE-${index + 1}`;
  return [
    ...(has ? [{ id: `${id}-HAS`, source, ...has }] : []),
    ...(lacks ? [{ id: `${id}-LACKS`, source, ...lacks }] : []),
  ];
});
