import type { ProcessHolder } from '@reeve/sandbox';
import type { ServerLauncherOptions } from './server-launcher.ts';

/** For a launcher that starts each server in a sandbox, or not at all, and knows no package. */
export function launcherOptions(
  holder: ProcessHolder,
  more: Partial<ServerLauncherOptions> = {},
): ServerLauncherOptions {
  return {
    holder,
    packages: {
      resolve: () => Promise.reject(new Error('not asked')),
      install: () => Promise.reject(new Error('not asked')),
    },
    pins: { find: async () => undefined, keep: async () => {} },
    enabled: true,
    require: 'enforced',
    limits: {},
    baseEnv: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    closed: [],
    hidden: [],
    stderrTailBytes: 1024,
    onEgress: () => {},
    ...more,
  };
}
