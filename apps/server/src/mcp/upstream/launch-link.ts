import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { ServerLauncher } from '../server-launch.ts';
import { createStdioLink } from './stdio-link.ts';
import type { OpenLink } from './upstream-server.ts';

/** Starts the server's process and speaks to it over stdio. */
export function launchLink(guard: ServerGuard, launcher: ServerLauncher, limits: GatewayLimits): OpenLink {
  return async ({ because, signal, ...listener }) => {
    const launched = await launcher.launch({ guard, because, signal });
    if (launched.kind === 'failed') return launched;
    const { process, scope } = launched;
    return {
      kind: 'opened',
      link: createStdioLink(process, listener, {
        maxLineBytes: limits.mcpMessageBytes,
        burstBytes: Math.ceil(limits.mcpQueueBytes / 32),
      }),
      revision: scope.revision,
      enforcement: process.enforcement,
      stderrTail: () => process.stderrTail(),
    };
  };
}
