import { watchHeldPlaces } from '../../boundary/held-places.ts';
import type { ServerGuard } from '../../boundary/server-guard.ts';
import type { GatewayLimits } from '../gateway-limits.ts';
import type { ServerLauncher } from '../server-launch.ts';
import { openHttpLink } from './http-link.ts';
import type { OpenLink } from './opened-link.ts';
import { createStdioLink } from './stdio-link.ts';

/** How the server of a guard is reached: its process is started, or its URL contacted. */
export function linkOpener(guard: ServerGuard, launcher: ServerLauncher, limits: GatewayLimits): OpenLink {
  const { transport } = guard.server;
  if (transport.kind === 'stdio') return launch(guard, launcher, limits);
  return async ({ signal: _, because: _change, ...listener }) => {
    const { revision } = guard.scope();
    const opened = await openHttpLink(listener, {
      transport,
      maxMessageBytes: limits.mcpMessageBytes,
      backoffMs: limits.mcpBackoffMs,
    });
    if (opened.kind === 'failed') return { ...opened, retry: true };
    return { kind: 'opened', link: opened.link, revision, enforcement: undefined, stderrTail: () => '' };
  };
}

function launch(guard: ServerGuard, launcher: ServerLauncher, limits: GatewayLimits): OpenLink {
  return async ({ because, signal, ...listener }) => {
    const launched = await launcher.launch({ guard, because, signal });
    if (launched.kind === 'failed') return launched;
    const { process, scope } = launched;
    let why: string | undefined;
    const kept = watchHeldPlaces({
      places: process.heldPlaces,
      maxWatched: limits.maxWatchedRoots,
      checkMs: limits.rootCheckMs,
      onLoosened(places) {
        why = 'it is started again because what it cannot write was replaced from outside';
        guard.loosened(places);
        void process.stop({ graceMs: 0 });
      },
    });
    void process.exited.then(() => kept[Symbol.dispose]());
    void kept.check();
    return {
      kind: 'opened',
      link: createStdioLink(process, listener, {
        maxLineBytes: limits.mcpMessageBytes,
        burstBytes: Math.ceil(limits.mcpQueueBytes / 32),
        why: () => why,
      }),
      revision: scope.revision,
      enforcement: process.enforcement,
      stderrTail: () => process.stderrTail(),
    };
  };
}
