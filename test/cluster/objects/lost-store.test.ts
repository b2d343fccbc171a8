import { rename } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { isUnreachable } from '../../../cluster/index.ts'
import type { S3Server } from '../../servers/s3.ts'
import { newName, openTestCluster, servers } from '../test-cluster.ts'
import { startStore, storeKinds, type TestStore } from './stores.ts'

const page = (n: number) => ({ url: `https://example.com/${n}`, text: `a lamp ${n}` })

/** Makes a store unreachable, and brings it back. */
function outage(store: TestStore): { begin: () => Promise<void>; end: () => Promise<void> } {
  if ('kill' in store) {
    const { kill, start } = store as S3Server
    return { begin: kill, end: start }
  }
  const away = `${store.folder}-away`
  return { begin: () => rename(store.folder, away), end: () => rename(away, store.folder) }
}

describe.skipIf(!servers).each(storeKinds)('a cluster whose store of kind %s is lost for a while', kind => {
  it('fails with a code meanwhile, makes no change, and goes on when it is back', async () => {
    const store = await startStore(kind)
    const name = newName()
    const { begin, end } = outage(store)
    const cluster = await openTestCluster({ name, objects: store.url, cacheBytes: 0 })
    try {
      await cluster.add([page(1)])
      await begin()
      const unreachable = {
        statusCode: 503,
        retryable: true,
        details: { server: 'the object store' },
        message: expect.stringContaining('the object store cannot be reached'),
      }
      for (const call of [
        () => cluster.page(page(1).url),
        () => cluster.search('lamp'),
        () => cluster.purge(page(1).url),
        () => openTestCluster({ name, objects: store.url }),
      ]) {
        const failure = await call().catch((error: unknown) => error)
        expect(failure).toMatchObject(unreachable)
        expect(isUnreachable(failure)).toBe(true)
      }
      const failed = await cluster.add([page(2)]).catch((error: unknown) => error)
      expect(failed).toMatchObject({ ...unreachable, code: 'ASOF_STORE_WRITE' })
      expect((await cluster.health()).objects).toMatchObject({ failure: expect.stringContaining('cannot be reached') })
      await end()
      expect((await cluster.search('lamp')).results.map(({ url }) => url)).toEqual([page(1).url])
      await cluster.add([page(2)])
      expect((await cluster.search('lamp')).results).toHaveLength(2)
      expect((await cluster.health()).objects).toMatchObject({ objects: 2 })
    } finally {
      await cluster.close()
      await store.stop()
    }
  })
})
