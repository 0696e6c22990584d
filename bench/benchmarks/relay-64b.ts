import type { Benchmark } from '../benchmark.ts';
import { relay } from './relay.ts';

export const relay64b: Benchmark = {
  name: 'relay-64b',
  title: 'Updates of 64 B from one agent to one WebSocket client',
  run: (settings) =>
    relay({ count: settings.quick ? 50_000 : 400_000, bytes: 64 }, { overSandboxAgent: 3, overMemory: 0.6 }, settings),
};
