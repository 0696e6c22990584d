import type { Benchmark } from '../benchmark.ts';
import { relay } from './relay.ts';

export const relay4kb: Benchmark = {
  name: 'relay-4kb',
  title: 'Updates of 4 KB from one agent to one WebSocket client',
  run: (settings) =>
    relay({ count: settings.quick ? 10_000 : 60_000, bytes: 4096 }, { overSandboxAgent: 1.3 }, settings),
};
