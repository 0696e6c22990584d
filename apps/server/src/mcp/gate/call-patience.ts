import type { GatedCall } from '../call-gate.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** Of agents that nobody has measured. */
export const UNKNOWN_PATIENCE_MS = 50 * SECOND;

/**
 * How long an agent's MCP client waits for the answer to a call while it is told of progress, with a margin; undefined where progress
 * keeps it waiting for as long as it takes. Measured with the versions named; a client's name is what `clientInfo` says.
 * @param toolTimeoutMs what the environment of the agent says, see `toolTimeoutMs`
 */
export function callPatienceMs(client: GatedCall['client'], toolTimeoutMs?: number): number | undefined {
  const { name = '', version = '' } = client ?? {};
  // Codex 0.166 (codex-acp 2.6) gives a call 300 s, 0.137 (the native codex-acp 0.16) 120 s; neither heeds progress.
  if (/^codex/.test(name)) return (isAtLeast(version, 0, 166) ? 280 : 105) * SECOND;
  if (/^gemini-cli/.test(name)) return 9 * MINUTE;
  // 0.24 heeds progress, 0.15 does not, and both call themselves 0.0.1.
  if (/^qwen-cli/.test(name)) return 9 * MINUTE;
  // Claude counts the whole call then, whatever progress it is told of.
  if (/^claude-code/.test(name)) return toolTimeoutMs === undefined ? undefined : withMargin(toolTimeoutMs);
  if (/^(?:opencode|(?:github-)?copilot)/.test(name)) return undefined;
  return UNKNOWN_PATIENCE_MS;
}

function withMargin(ms: number): number {
  return Math.floor(Math.max(ms - 15 * SECOND, ms * 0.85));
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}
