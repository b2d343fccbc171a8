import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { databaseOptions } from '../../../core/store/database.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { encodeIdentity, newIdentity } from '../../../core/store/identity.ts'
import {
  aliasKey,
  allAliases,
  chunkKey,
  identityKey,
  supersessionKey,
  urlKey,
  urlOfKey,
} from '../../../core/store/keys.ts'
import { encodeSupersession } from '../../../core/store/records/supersession.ts'
import { loadCatalog } from '../../../core/store/snapshots/catalog.ts'
import { newCache } from '../segment/naive-index.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const put = (key: Uint8Array, value: Uint8Array) => ({ type: 'put' as const, key, value })

describe('the settings of LevelDB', () => {
  const mappedBytes = (asked?: number) => {
    const { maxOpenFiles, maxFileSize } = databaseOptions(asked)
    // LevelDB keeps ten of them for other things.
    return (maxOpenFiles - 10) * maxFileSize
  }

  it.each([
    ['by default', undefined, 64],
    ['of less than LevelDB can do with', 1, 64],
    ['of more', 512 * 2 ** 20, 512],
    ['of all there is', Number.MAX_SAFE_INTEGER, 1000],
  ])('bound the memory of mapped files, %s', (_, asked, megabytes) => {
    expect(mappedBytes(asked)).toBe(megabytes * 2 ** 20)
  })
})

describe('the store', () => {
  let dir: string
  const opened: FolderStore[] = []

  const openStore = async (): Promise<FolderStore> => {
    const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
    opened.push(store)
    return store
  }

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'asof-store-'))
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
    rmSync(dir, { recursive: true })
  })

  it('returns what was committed, also after reopening', async () => {
    const store = await openStore()
    await store.commit([put(urlKey('a'), bytes(1, 2)), put(urlKey('b'), bytes())])
    await store.commit([{ type: 'del', key: urlKey('b') }, put(urlKey('c'), bytes(3))])
    const read = async (from: FolderStore) =>
      (await from.getMany(['a', 'b', 'c'].map(urlKey))).map(value => value && [...value])
    expect(await read(store)).toEqual([[1, 2], undefined, [3]])
    expect(store.get(urlKey('d'))).toBeUndefined()
    await store.close()
    opened.splice(0)
    expect(await read(await openStore())).toEqual([[1, 2], undefined, [3]])
  })

  it('keeps nothing of a batch that failed, and accepts writes again after it is reopened', async () => {
    const store = await openStore()
    const broken = { type: 'put', key: urlKey('b'), value: { length: 1 } } as unknown as ReturnType<typeof put>
    const failed = expect.objectContaining({ code: 'ASOF_STORE_WRITE' })
    await expect(store.commit([put(urlKey('a'), bytes(1)), broken])).rejects.toThrow(failed)
    expect(store.mustReopen).toBe(true)
    await expect(store.commit([put(urlKey('a'), bytes(1))])).rejects.toThrow(failed)
    expect(store.get(urlKey('a'))).toBeUndefined()
    await store.reopen(async () => {})
    expect(store.mustReopen).toBe(false)
    expect(store.get(urlKey('a'))).toBeUndefined()
    await store.commit([put(urlKey('a'), bytes(2))])
    expect([...(store.get(urlKey('a')) ?? [])]).toEqual([2])
  })

  it('lists the keys of a range in order', async () => {
    const store = await openStore()
    await store.commit(['b', 'a', 'c'].flatMap(name => [put(aliasKey(name), bytes(1)), put(urlKey(name), bytes(2))]))
    const found: string[] = []
    for await (const [key] of store.iterate(allAliases)) found.push(urlOfKey(key))
    expect(found).toEqual(['a', 'b', 'c'])
  })

  it('reports a missing chunk as corrupt', async () => {
    const store = await openStore()
    await store.commit([put(chunkKey(3, Stream.postings, 1), bytes(7))])
    const chunks = store.chunks(3)
    expect([...chunks.get(Stream.postings, 1)]).toEqual([7])
    expect(() => chunks.get(Stream.postings, 0)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    expect(() => chunks.get(Stream.positions, 1)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
  })

  it('lists the segments that it holds values of, and clears one without touching the others', async () => {
    const store = await openStore()
    await store.commit([
      ...[1, 2, 3, 300].flatMap(segment => [
        put(chunkKey(segment, Stream.index, 0), bytes(1)),
        put(chunkKey(segment, Stream.columns, 5), bytes(1)),
      ]),
      put(supersessionKey(2, 8), encodeSupersession(5)),
      put(supersessionKey(4, 8), encodeSupersession(5)),
    ])
    expect([...(await store.segmentsPresent())].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 300])
    await store.clearSegment(2)
    expect([...(await store.segmentsPresent())].sort((a, b) => a - b)).toEqual([1, 3, 4, 300])
  })

  it('loses the segments that no manifest names when the index is opened', async () => {
    const engine = await open(dir)
    await engine.add([{ url: 'https://a.example/', text: 'kept' }])
    await engine.close()
    const store = await openStore()
    await store.commit([
      put(chunkKey(77, Stream.postings, 0), bytes(1)),
      put(supersessionKey(78, 0), encodeSupersession(1)),
    ])
    const { segments } = await loadCatalog(store, newCache())
    expect(segments.map(({ info }) => info.id)).toEqual([1])
    expect([...(await store.segmentsPresent())]).toEqual([1])
    await store.close()
    opened.splice(0)
    const again = await open(dir)
    expect((await again.search('kept')).results.length).toBe(1)
    await again.close()
  })

  it.each(['format', 'analyzer', 'ranking'])(
    'is rejected if a newer release made its %s, and not changed',
    async name => {
      const store = await openStore()
      const value = encodeIdentity({ ...newIdentity(), [name]: 99, release: '9.8.7' })
      await store.commit([put(identityKey, value)])
      await store.close()
      opened.splice(0)
      await expect(open(dir)).rejects.toMatchObject({
        code: 'ASOF_STORE_FORMAT',
        message: expect.stringContaining('use asof 9.8.7'),
      })
      expect(Buffer.compare((await openStore()).get(identityKey) ?? bytes(), value)).toBe(0)
    },
  )

  it('is rejected if its identity is lost', async () => {
    const engine = await open(dir)
    await engine.add([{ url: 'https://example.com/a', text: 'kept' }])
    await engine.close()
    const store = await openStore()
    await store.commit([{ type: 'del', key: identityKey }])
    await store.close()
    opened.splice(0)
    await expect(open(dir)).rejects.toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
  })

  it('can be open only once in a process', async () => {
    const engine = await open(dir)
    await expect(open(dir)).rejects.toThrow(expect.objectContaining({ code: 'ASOF_STORE_LOCKED', retryable: true }))
    await engine.close()
    await (await open(dir)).close()
  })

  it('is locked while another process holds it', async () => {
    const module = pathToFileURL(join(import.meta.dirname, '../../../core/store/folder-store.ts')).href
    const script = `
      const { FolderStore } = await import(${JSON.stringify(module)})
      const store = await FolderStore.open(${JSON.stringify(join(dir, 'index'))}, { cacheBytes: 1 })
      process.stdin.once('data', async () => { await store.close(); process.exit(0) })
      console.log('open')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      await once(child.stdout, 'data')
      await expect(open(dir)).rejects.toThrow(expect.objectContaining({ code: 'ASOF_STORE_LOCKED', retryable: true }))
    } finally {
      child.stdin.write('close\n')
      await once(child, 'exit')
    }
    await (await open(dir)).close()
  })

  it('cannot be opened if the path is a file', async () => {
    writeFileSync(join(dir, 'index'), 'no folder')
    await expect(openStore()).rejects.toThrow(expect.objectContaining({ code: 'ASOF_STORE_READ' }))
  })

  it('reports its size on disk', async () => {
    const store = await openStore()
    await store.commit([put(urlKey('a'), new Uint8Array(50_000))])
    expect(await store.bytes()).toBeGreaterThan(50_000)
  })
})
