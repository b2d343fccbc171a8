import { describe, it } from 'vitest'
import { engineContract } from '../../core/testing/index.ts'
import { openTestCluster, servers } from './test-cluster.ts'

describe.skipIf(!servers)('an engine over a cluster', () => {
  engineContract({
    describe,
    it,
    open: openTestCluster,
    lacks: [
      'suggest',
      'relevance: changes searches from now on, and none as of an earlier instant',
      'relevance: is replaced as a whole, and setting it again does nothing',
      'relevance: rejects what is wrong with the path of it',
    ],
  })
})
