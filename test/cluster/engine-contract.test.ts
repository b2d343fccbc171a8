import { describe, it } from 'vitest'
import { engineContract } from '../../core/testing/index.ts'
import { openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('an engine over a cluster', () => {
  engineContract({
    describe,
    it,
    open: openTestCluster,
  })
})
