import { configDefaults, type ViteUserConfigFnObject } from 'vitest/config';

/**
 * One project, so that benches run once. `npm run test:slow` sets the mode `slow`, which runs the
 * `.slow.test.ts` files alone; every other run leaves them out.
 */
const config: ViteUserConfigFnObject = ({ mode }) => ({
  test: {
    include: mode === 'slow' ? ['test/**/*.slow.test.ts'] : ['test/**/*.test.ts'],
    exclude:
      mode === 'slow' ? configDefaults.exclude : [...configDefaults.exclude, '**/*.slow.test.ts'],
    // A process per file: tests send signals, spawn children and load native LevelDB.
    pool: 'forks',
    // Two cores are what we count on; tests with a dozen children of their own need the rest.
    maxWorkers: 2,
    // A bound against hangs, far above what a test takes; nothing waits for it to pass.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // An unhandled rejection fails the run even though no test did.
    dangerouslyIgnoreUnhandledErrors: false,
    coverage: {
      include: ['src/**/*.ts', 'strategies/**/*.ts', 'protocol/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
});

export default config;
