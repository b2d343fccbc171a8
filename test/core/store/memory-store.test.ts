import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Stream } from '../../../core/segment/streams.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { allKeys, allUrls, chunkKey, supersessionKey, urlKey } from '../../../core/store/keys.ts'
import { MemoryStore } from '../../../core/store/memory-store.ts'
import type { Operation, Store } from '../../../core/store/store.ts'

const put = (key: Uint8Array, ...bytes: number[]): Operation => ({ type: 'put', key, value: Uint8Array.from(bytes) })

const anyKey = fc.oneof(
  fc.constantFrom('a', 'b', 'é', '東京', '').map(urlKey),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.nat(300))
    .map(([segment, chunk]) => chunkKey(segment, Stream.postings, chunk)),
  fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(2)).map(([segment, ordinal]) => supersessionKey(segment, ordinal)),
)
const anyOperation = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyKey, fc.array(fc.nat(255))).map(([key, bytes]) => put(key, ...bytes)) },
  { weight: 1, arbitrary: anyKey.map((key): Operation => ({ type: 'del', key })) },
)
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyOperation, { maxLength: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
)

async function contents(store: Store): Promise<unknown[]> {
  const all: unknown[] = []
  for (const range of [allKeys, allUrls])
    for await (const [key, value] of store.iterate(range)) all.push([[...key], [...value]])
  return [all, [...(await store.segmentsPresent())].sort()]
}

describe('a store in memory', () => {
  it('has the values of a store in a folder, through any batches and cleared segments', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), fc.array(anyKey), async (steps, keys) => {
        const dir = mkdtempSync(join(tmpdir(), 'asof-store-'))
        const stores = [new MemoryStore(), await FolderStore.open(dir, { cacheBytes: 1024 })] as const
        try {
          for (const step of steps)
            for (const store of stores) await (typeof step === 'number' ? store.clearSegment(step) : store.commit(step))
          expect(await contents(stores[0])).toEqual(await contents(stores[1]))
          const read = async (store: Store) => (await store.getMany(keys)).map(value => value && [...value])
          expect(await read(stores[0])).toEqual(await read(stores[1]))
          expect(keys.map(key => stores[0].get(key))).toEqual(keys.map(key => stores[1].get(key)))
        } finally {
          for (const store of stores) await store.close()
          rmSync(dir, { recursive: true })
        }
      }),
      { numRuns: 10 },
    )
  })

  it('reads a range as it was at the first read, whatever is written meanwhile', async () => {
    const store = new MemoryStore()
    await store.commit([put(urlKey('a'), 1), put(urlKey('b'), 2), put(urlKey('c'), 3)])
    const found: number[][] = []
    for await (const [, value] of store.iterate(allUrls)) {
      found.push([...value])
      await store.commit([{ type: 'del', key: urlKey('b') }, put(urlKey('c'), 4), put(urlKey('d'), 5)])
    }
    expect(found).toEqual([[1], [2], [3]])
  })

  it('writes nothing of a batch with an invalid operation', async () => {
    const store = new MemoryStore()
    const broken = { type: 'put', key: urlKey('b'), value: { length: 1 } } as unknown as Operation
    await expect(store.commit([put(urlKey('a'), 1), broken])).rejects.toThrow(TypeError)
    expect(store.get(urlKey('a'))).toBeUndefined()
  })

  it('keeps a value that its writer changes afterwards', async () => {
    const store = new MemoryStore()
    const value = Uint8Array.of(1, 2)
    await store.commit([{ type: 'put', key: urlKey('a'), value }])
    value[0] = 9
    expect([...store.get(urlKey('a'))!]).toEqual([1, 2])
  })

  it('counts the bytes of its keys and values', async () => {
    const store = new MemoryStore()
    expect(await store.bytes()).toBe(0)
    await store.commit([put(urlKey('a'), 1, 2, 3)])
    const bytes = await store.bytes()
    expect(bytes).toBeGreaterThanOrEqual(5)
    await store.commit([put(urlKey('a'), 1, 2, 3), put(urlKey('b'), 4)])
    await store.commit([{ type: 'del', key: urlKey('b') }])
    expect(await store.bytes()).toBe(bytes)
  })
})
