import type { GatedCall } from '../call-gate.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Of agents that nobody has measured. */
export const UNKNOWN_PATIENCE_MS = 50 * SECOND;

/**
 * How long an agent's MCP client waits for the answer to a call while it is told of progress, with a margin; undefined where progress
 * keeps it waiting for as long as it takes. Measured with the versions named; a client's name is what `clientInfo` says.
 */
export function callPatienceMs(client: GatedCall['client']): number | undefined {
  const { name = '', version = '' } = client ?? {};
  // codex-acp 2.6 gives a call 300 s, the native 0.16 120 s; neither heeds progress.
  if (/^codex-acp/.test(name)) return 280 * SECOND;
  if (/^codex/.test(name)) return 105 * SECOND;
  if (/^gemini-cli/.test(name)) return 9 * MINUTE;
  // Since 0.24 progress counts; before, its client had a version of its own.
  if (/^qwen/.test(name)) return isAtLeast(version, 0, 24) ? undefined : 9 * MINUTE;
  if (/^(?:claude-code|opencode|(?:github-)?copilot)/.test(name)) return undefined;
  return UNKNOWN_PATIENCE_MS;
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}
