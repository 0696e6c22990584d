import { expect, it } from 'vitest';
import { passedOnExit } from './exit-status.ts';

it.each([
  [0, null, { code: 0, signal: null }],
  [7, null, { code: 7, signal: null }],
  [128, null, { code: 128, signal: null }],
  [137, null, { code: null, signal: 'SIGKILL' }],
  [143, null, { code: null, signal: 'SIGTERM' }],
  [255, null, { code: 255, signal: null }],
  [null, 'SIGKILL', { code: null, signal: 'SIGKILL' }],
] as const)('an end with code %s and signal %s', (code, signal, exit) => {
  expect(passedOnExit(code, signal)).toEqual(exit);
});
