import type { McpServerReport } from '@reeve/protocol';
import { Badge, type Tone } from '../ui/badge.tsx';

const TONES: Readonly<Record<McpServerReport['state'], Tone>> = {
  waiting: 'warn',
  refused: 'danger',
  starting: 'accent',
  running: 'ok',
  restarting: 'warn',
  failed: 'danger',
  stopped: 'neutral',
  unknown: 'danger',
};

/** How an MCP server stands. */
export function ServerStateBadge({ state }: { readonly state: McpServerReport['state'] }) {
  return <Badge tone={TONES[state] ?? 'neutral'}>{state}</Badge>;
}
