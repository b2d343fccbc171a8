import { expect, it } from 'vitest'
import type { FrontierDatabase } from '../../../crawler/frontier/frontier-database.ts'
import { GroupedWrites } from '../../../crawler/frontier/grouped-writes.ts'

it('reports a failed batch to everybody who waits for it, and writes the next batch', async () => {
  let isFull = true
  const written: unknown[] = []
  const db = {
    batch: async (operations: unknown[]) => {
      if (isFull) throw new Error('no space left')
      written.push(...operations)
    },
  } as unknown as FrontierDatabase
  const writes = new GroupedWrites(db, () => [])
  writes.put('a', 1)
  const first = writes.written()
  await expect(first).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
  await expect(writes.written()).rejects.toMatchObject({ code: 'ASOF_STORE_WRITE' })
  isFull = false
  writes.put('b', 2)
  await writes.written()
  await writes.written()
  expect(written).toEqual([{ type: 'put', key: 'b', value: 2 }])
})
