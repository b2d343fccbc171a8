import { describe, it } from 'vitest'
import { open } from '../../core/index.ts'
import { engineContract } from '../../core/testing/index.ts'
import { openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('an engine over a cluster', () => {
  engineContract({
    describe,
    it,
    open: openTestCluster,
    openBackup: (dir, options) => open(dir, { ...options, searchThreads: 0 }),
  })
})
