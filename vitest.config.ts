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
    // What hangs is ended; what is slow on a busy machine is not failed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes late there too.
    expect: { poll: { timeout: 60_000 } },
  },
});
