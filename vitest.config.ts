import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'apps/*/src/**/*.test.ts',
      'e2e/*.test.ts',
      'e2e/console/*.test.ts',
      'test/*.test.ts',
    ],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes late on a busy machine.
    expect: { poll: { timeout: 20_000 } },
  },
});
