import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests that run tools over all sources, which `npm run check` runs in place of `npm test`. */
const check = ['test/house/{api,exported-names,imports}.test.ts', 'test/packaging/kernel-sources.test.ts']
/** System tests that stand beside what they test: they start, kill and wait for processes, chains and databases, or read the largest inputs. */
const slow = [
  'test/{core/{bad-captures,leveldb/folder-check},extract/documents/read-document,extract/extract-pool,extract/processes/limited-processes}.test.ts',
  'test/core/{fresh-on-threads,nearest-vectors,repair/repair,scheduling/shared-memory,store/backup/backup,upgrade/upgrade}.test.ts',
  'test/crawler/crawl/{crash,crawl-faults,shared-crawl}.test.ts',
  'test/crawler/files/{decompressed,round-trip}.test.ts',
  'test/house/{buyer-examples,embedding-example,quick-starts}.test.ts',
  'test/servers/postgres.test.ts',
  'test/service/accounts/postgres/lost-database.test.ts',
  'test/service/data-folder/socket.test.ts',
  'test/store/payments/{facilitator-settler,payment-ledger-postgres,payment-processor,shared-payments,wallet-settler}.test.ts',
  'test/store/purchases/unfinished-purchases.test.ts',
  'test/transports/{http/routes/crawl-routes,listing-fronts}.test.ts',
]
/** System tests that measure how fast a server answers while it is attacked. */
const alone = ['test/system/{attacks,fair-shares}.test.ts']

/** Share of the random cases of the tests of clusters. */
const clusterCases = process.env.ASOF_TEST_CASES ?? '0.4'

/**
 * `unit` is `npm test`; `check` (runs tools over the sources) is a part of `npm run check`; `system` (slow: crashes, whole processes) and then
 * `system-alone` are `npm run test:system`; `dialects` (by stock clients of other search services) is `npm run test:dialects`; `cluster` (with servers of OpenSearch and PostgreSQL) is `npm run test:cluster`.
 *
 * The slowest files of a project run first: vitest keeps their durations, and a new clone takes the longest ones.
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
          exclude: ['test/system/**', 'test/cluster/**', 'test/dialects/**', ...check, ...slow],
          globalSetup: ['test/servers/shared-postgres.ts'],
          // What files share is loaded once for all of them; what a test replaces is put back for the next one.
          isolate: false,
          restoreMocks: true,
          env: { ASOF_TEST_CASES: process.env.ASOF_TEST_CASES ?? '0.125' },
          // Ends what hangs; it says nothing of how long a test should take.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: { name: 'check', include: check, testTimeout: 300_000, hookTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'system',
          // Random histories are played in folders here, and eight times as many as in `npm test`.
          include: [
            'test/system/**/*.test.ts',
            // Some cases of each kind, by the stock clients that are installed.
            'test/dialects/*.test.ts',
            ...slow,
            'test/core/{time-travel,arrival-order,fresh-index,history/retention}.test.ts',
          ],
          exclude: alone,
          globalSetup: ['test/servers/shared-postgres.ts'],
          env: { ASOF_TEST_FOLDERS: '1' },
          testTimeout: 900_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        // One file at a time, after all others.
        test: { name: 'system-alone', include: alone, fileParallelism: false, testTimeout: 900_000 },
      },
      {
        extends: true,
        test: {
          name: 'dialects',
          include: ['test/dialects/*.test.ts'],
          env: { ASOF_TEST_DIALECTS: process.env.ASOF_TEST_DIALECTS ?? 'full' },
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
          env: { ASOF_TEST_CASES: clusterCases },
          // In the small run of CI this is less than the limit of its step, so that a test that hangs is named.
          testTimeout: Number(clusterCases) < 0.1 ? 300_000 : 900_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
