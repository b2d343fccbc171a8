import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/**
 * Three projects: `unit` is `npm test`; `system` (slow: crashes, whole processes) is `npm run test:system`; `cluster` (with servers of
 * OpenSearch and PostgreSQL) is `npm run test:cluster`.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // What a test waits for comes as late as the machine is slow.
    expect: { poll: { timeout: 30_000 } },
    // By Node itself, as commands are loaded.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Commands under test start in half the time when what they load need not be compiled again.
    env: { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled') },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/system/**', 'test/cluster/**'],
          // What files share is loaded once for all of them; what a test replaces is put back for the next one.
          isolate: false,
          restoreMocks: true,
          // Ends what hangs; it says nothing of how long a test should take.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          // The proof of time travel plays six times as many random histories here as in `npm test`, or as many as this says.
          include: [
            'test/system/**/*.test.ts',
            'test/core/{time-travel,meaning-time-travel,arrival-order}.test.ts',
            'test/crawler/files/round-trip.test.ts',
          ],
          env: { ASOF_TEST_HISTORIES: process.env.ASOF_TEST_HISTORIES ?? '60' },
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: ['test/cluster/start-servers.ts'],
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
