import { afterAll, beforeAll, describe, it } from 'vitest'
import { engineContract } from '../../../core/testing/index.ts'
import { openTestCluster, servers } from '../test-cluster.ts'
import { startStore, storeKinds, type TestStore } from './stores.ts'

describe.skipIf(!servers).each(storeKinds)('an engine over a cluster with bodies in a store of kind %s', kind => {
  let store: TestStore
  beforeAll(async () => {
    store = await startStore(kind)
  })
  afterAll(() => store?.stop())

  engineContract({
    describe,
    it,
    open: options => openTestCluster({ ...options, objects: store.url }),
  })
})
