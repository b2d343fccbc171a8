import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../core/index.ts'
import { IndexWriter } from '../../../core/ingest/index-writer.ts'
import { chooseMerge, type MergePolicy } from '../../../core/merge/merge-policy.ts'
import { MergeThread } from '../../../core/merge/merge-thread.ts'
import type { SegmentMerging } from '../../../core/merge/segment-merging.ts'
import type { Segment } from '../../../core/segment/segment.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { FolderStore } from '../../../core/store/folder-store.ts'
import { verifiedValue } from '../../../core/store/integrity/checksum.ts'
import { bodyKey, bodyRange, chunkKey, firstNumberOfKey, manifestKey, wasteKey } from '../../../core/store/keys.ts'
import { decodeManifest, encodeManifest } from '../../../core/store/manifest.ts'
import { BodyPackReader } from '../../../core/store/records/body-pack.ts'
import { decodeStoredBody } from '../../../core/store/records/documents.ts'
import { Snapshots } from '../../../core/store/snapshots/snapshots.ts'
import { StoredVectors } from '../../../core/vectors/stored-vectors.ts'
import { ManualTimers } from '../ingest/manual-timers.ts'
import { physicalEntries } from '../leveldb/physical-entries.ts'
import { newCache } from '../segment/naive-index.ts'

let dir: string
let timers: ManualTimers
let warnings: Error[]
let closing: (() => Promise<void>)[]
let mergedAtRest: number[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-merger-'))
  timers = new ManualTimers()
  warnings = []
  closing = []
  mergedAtRest = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  await rm(dir, { recursive: true })
})

/** Writes one segment for each list of pages. */
async function fill(...batches: string[][]): Promise<void> {
  const engine = await open(dir, { mergePolicy: () => [], searchThreads: 0 })
  for (const batch of batches)
    await engine.add(batch.map(name => ({ url: `https://example.com/${name}`, title: name, text: `text of ${name}` })))
  await engine.close()
}

interface Opened {
  store: FolderStore
  snapshots: Snapshots
  writer: IndexWriter
}

async function openWriter(
  mergePolicy: MergePolicy = chooseMerge,
  around: (merging: SegmentMerging) => SegmentMerging = merging => merging,
): Promise<Opened> {
  const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
  closing.push(() => store.close())
  const snapshots = await Snapshots.open(store, newCache(), { now: () => 0 })
  const writer = await IndexWriter.open(store, snapshots, {
    merging: around(new MergeThread(store, snapshots.signals.buffer)),
    onWarning: warning => warnings.push(warning),
    mergePolicy,
    vectors: new StoredVectors(store),
    build: () => Promise.reject(new Error('nothing is added here')),
    onMergeAtRest: captures => mergedAtRest.push(captures),
    later: timers.later,
  })
  closing.push(() => writer.close())
  return { store, snapshots, writer }
}

/**
 * The texts in each pack of bodies that the files of an index hold, replaced and deleted packs included, by capture. The texts are
 * compressed, so a search for words in the files would not find them.
 */
async function packsOf(index: string): Promise<Map<number, string>[]> {
  const packs: Map<number, string>[] = []
  for await (const { key, value } of physicalEntries(index)) {
    if (key[0] !== bodyKey(0)[0] || !value) continue
    const pack = new BodyPackReader(firstNumberOfKey(key), verifiedValue(key, value))
    packs.push(new Map(pack.captureIds.map(captureId => [captureId, decodeStoredBody(pack.body(captureId)!, '').text])))
  }
  return packs
}

/** Resolves when background work makes the condition true. */
const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 1 }).toBe(true)

const pages = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

describe('a merge that fails', () => {
  it('is retried after one second, then two, then four, with a warning only the first time', async () => {
    await fill(['a'], ['b'], ['c'])
    const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
    const key = chunkKey(2, Stream.dictionary, 0)
    const chunk = store.get(key)
    await store.commit([{ type: 'del', key }])
    await store.close()
    const all: MergePolicy = segments => (segments.length > 1 ? segments.map(({ id }) => id) : [])
    const { store: broken, snapshots, writer } = await openWriter(all)
    for (const waitMs of [1000, 2000, 4000]) {
      await until(() => timers.has(waitMs))
      // Commits in the meantime do not start a merge.
      await writer.purge(['https://example.com/nothing'])
      expect(timers.waiting.filter(({ ms }) => ms === waitMs)).toHaveLength(1)
      expect(warnings).toHaveLength(1)
      if (waitMs === 4000 && chunk) await broken.commit([{ type: 'put', key, value: chunk }])
      timers.fire(waitMs)
    }
    await until(() => snapshots.catalog.segments.length === 1)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]!.message).toMatch(/the merge will be retried later/)
  })
})

describe('purges', () => {
  it('are merged away together after five seconds without another purge', async () => {
    await fill(pages('a', 30), pages('b', 30))
    const { snapshots, writer } = await openWriter()
    const [before] = [snapshots.catalog.segments.map(({ info }) => info.id).sort()]
    await writer.purge(['https://example.com/a1'])
    await writer.purge(['https://example.com/a2'])
    expect(timers.waiting.filter(({ ms }) => ms === 5000)).toHaveLength(1)
    expect(snapshots.catalog.segments.map(({ info }) => info.id).sort()).toEqual(before)
    timers.fire(5000)
    await until(() => snapshots.catalog.segments.every(({ tombstones }) => tombstones.length === 0))
    const after = snapshots.catalog.segments.map(({ info }) => info.id)
    // One segment was rewritten, once; the other one was not.
    expect(after.filter(id => !before.includes(id))).toHaveLength(1)
    expect(Math.max(...after)).toBe(Math.max(...before) + 1)
    expect(snapshots.catalog.segments.reduce((total, { captures }) => total + captures, 0)).toBe(58)
  })

  it('are merged away after at most five minutes, even if more keep coming', async () => {
    await fill(pages('a', 60))
    const { snapshots, writer } = await openWriter()
    for (const name of pages('a', 5)) await writer.purge([`https://example.com/${name}`])
    expect(
      timers.waiting
        .filter(({ ms }) => ms > 3000)
        .map(({ ms }) => ms)
        .sort(),
    ).toEqual([300_000, 5000])
    timers.fire(300_000)
    await until(() => snapshots.catalog.segments.every(({ tombstones }) => tombstones.length === 0))
    expect(timers.has(5000)).toBe(false)
  })

  it('cause an immediate rewrite of a segment that has lost an eighth of its captures', async () => {
    await fill(pages('a', 16))
    const { snapshots, writer } = await openWriter()
    await writer.purge(['https://example.com/a1'])
    expect(snapshots.catalog.segments[0]!.tombstones).toHaveLength(1)
    await writer.purge(['https://example.com/a2'])
    await until(() => snapshots.catalog.segments[0]!.captures === 14)
  })

  it('that a crash interrupted are merged away after the next opening', async () => {
    await fill(pages('a', 60))
    const { writer, store } = await openWriter()
    await writer.purge(['https://example.com/a1'])
    // Like a crash: the store is closed while the writer is open.
    await store.close()
    closing = []
    timers.waiting = []
    const { snapshots: again } = await openWriter()
    expect(again.catalog.segments[0]!.tombstones).toHaveLength(1)
    timers.fire(5000)
    await until(() => again.catalog.segments[0]!.captures === 59)
  })

  it('note the pack in which the body still takes space, until it is compacted', async () => {
    await fill(pages('a', 60))
    const { store, writer } = await openWriter(() => [])
    await writer.purge(['https://example.com/a1'])
    const { ranges } = JSON.parse(Buffer.from(store.get(wasteKey)!).toString()) as { ranges: unknown[] }
    const { gte, lt } = bodyRange(1)
    expect(ranges).toContainEqual([gte, lt].map(key => Buffer.from(key).toString('hex')))
  })

  it('leave nothing of the page in the files after the engine is closed', async () => {
    await fill(pages('a', 60), pages('b', 60))
    const engine = await open(dir, { searchThreads: 0 })
    const victim = {
      url: 'https://example.com/victim',
      aliases: ['https://example.com/aliasofvictim'],
      title: 'Titleofvictim',
      markdown: 'wordofvictim and more',
    }
    await engine.add([victim, ...pages('c', 60).map(name => ({ url: `https://example.com/${name}`, text: name }))])
    await engine.close()
    const index = join(dir, 'index')
    const before = await packsOf(index)
    const [captureId] = before.flatMap(pack =>
      [...pack].flatMap(([id, text]) => (/wordofvictim/.test(text) ? [id] : [])),
    )
    expect(captureId).toBeGreaterThan(0)
    // Its body is packed with those of other pages, so its pack is written again.
    expect(before.find(pack => pack.has(captureId!))!.size).toBeGreaterThan(1)
    const again = await open(dir, { searchThreads: 0 })
    expect(await again.purge(victim.url)).toBe(1)
    await again.close()
    const after = await packsOf(index)
    expect(after.filter(pack => pack.has(captureId!))).toEqual([])
    expect(after.reduce((total, pack) => total + pack.size, 0)).toBeGreaterThanOrEqual(180)
    const tables = (await readdir(index)).filter(name => /\.(ldb|log)$/.test(name))
    const files = await Promise.all(tables.map(name => readFile(join(index, name), 'latin1')))
    const holds = (word: string): boolean => files.some(file => file.toLowerCase().includes(word))
    expect(['https://example.com/victim', 'aliasofvictim', 'titleofvictim', 'wordofvictim'].filter(holds)).toEqual([])
    expect(holds('https://example.com/c7')).toBe(true)
  })
})

describe('an idle index', () => {
  it('merges small segments after three seconds without a change, and reports the number of captures', async () => {
    await fill(...pages('a', 5).map(name => [name]))
    const { snapshots } = await openWriter()
    expect(snapshots.catalog.segments).toHaveLength(5)
    timers.fire(3000)
    await until(() => snapshots.catalog.segments.length === 1)
    expect(snapshots.catalog.segments[0]!.captures).toBe(5)
    expect(mergedAtRest).toEqual([5])
  })

  it('does not report merges that ran while captures were being added', async () => {
    await fill(...pages('a', 5).map(name => [name]))
    const { snapshots } = await openWriter(segments => (segments.length > 1 ? segments.map(({ id }) => id) : []))
    await until(() => snapshots.catalog.segments.length === 1)
    expect(mergedAtRest).toEqual([])
  })

  it('stops the merge thread, and starts another one for later merges', async () => {
    const stop = vi.spyOn(MergeThread.prototype, 'stop')
    await fill(...pages('a', 5).map(name => [name]))
    const { snapshots, writer } = await openWriter()
    stop.mockClear()
    timers.fire(3000)
    await until(() => snapshots.catalog.segments.length === 1 && timers.has(3000))
    expect(stop).not.toHaveBeenCalled()
    timers.fire(3000)
    expect(stop).toHaveBeenCalledOnce()
    await writer.purge(['https://example.com/a0'])
    await until(() => snapshots.catalog.segments[0]!.captures === 4)
    stop.mockRestore()
  })

  it('is not considered idle while changes keep coming', async () => {
    await fill(['a'], ['b'])
    const { snapshots, writer } = await openWriter()
    const [atFirst] = timers.waiting.filter(({ ms }) => ms === 3000)
    await writer.purge(['https://example.com/nothing'])
    expect(timers.waiting).not.toContain(atFirst)
    expect(timers.waiting.filter(({ ms }) => ms === 3000)).toHaveLength(1)
    expect(snapshots.catalog.segments).toHaveLength(2)
  })
})

describe('a merge during which captures end', () => {
  const NONE = Number.POSITIVE_INFINITY
  const urlOf = (i: number): string => `https://example.com/${i}`
  const acquiredAtOf = (i: number): number => 1_000 + 10 * i
  /** Instants at which captures end before the merge begins, and while it runs: new ends, ends that move to earlier, and purges. */
  const endsBefore = new Map(Array.from({ length: 40 }, (_, i) => [5 * i, 5_000 + 10 * i]))
  const endsDuring = new Map([
    ...Array.from({ length: 40 }, (_, i): [number, number] => [5 * i + 1, 5_005 + 10 * i]),
    ...Array.from({ length: 10 }, (_, i): [number, number] => [20 * i, 4_000 + 10 * i]),
  ])
  const purged = [7, 20, 26]

  function expectCounted({ snapshots }: Opened): void {
    const [segment] = snapshots.catalog.segments as [Segment]
    const ends = new Map([...endsBefore, ...endsDuring])
    const kept = Array.from({ length: 200 }, (_, i) => i).filter(i => !purged.includes(i))
    const common = segment.term('common')!
    expect(common.entry).toMatchObject({ count: 200, ended: endsBefore.size })
    for (const near of new Set([acquiredAtOf(0), acquiredAtOf(199), ...ends.values(), ...endsBefore.values()]))
      for (const instant of [near - 1, near, near + 1]) {
        const standing = kept.filter(i => acquiredAtOf(i) <= instant && (ends.get(i) ?? NONE) > instant)
        expect(segment.standing(instant).captures, `at ${instant}`).toBe(standing.length)
        expect(segment.frequency(common, instant, segment.ordinalEndAt(instant)), `at ${instant}`).toBe(standing.length)
      }
  }

  it.each([
    ['before it reads', true],
    ['before it replaces the segments', false],
  ])('counts their ends, if they end %s, also after a crash', async (_, isEarly) => {
    const engine = await open(dir, { mergePolicy: () => [], searchThreads: 0 })
    for (const from of [0, 100])
      await engine.add(
        Array.from({ length: 100 }, (_, i) => {
          return { url: urlOf(from + i), acquiredAt: acquiredAtOf(from + i), text: `common text of ${from + i}` }
        }),
      )
    await engine.add([...endsBefore].map(([i, removedAt]) => ({ url: urlOf(i), removedAt })))
    await engine.close()

    const [reached, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const pause = async (): Promise<void> => {
      reached.resolve()
      await proceed.promise
    }
    let stopThread = async (): Promise<void> => {}
    const opened = await openWriter(
      segments => (segments.length > 1 ? segments.map(({ id }) => id) : []),
      thread => {
        stopThread = () => thread.stop()
        return {
          stop: stopThread,
          run: async request => {
            if (isEarly) await pause()
            const result = await thread.run(request)
            if (!isEarly) await pause()
            return result
          },
        }
      },
    )
    await reached.promise
    await opened.writer.write([...endsDuring].map(([i, at]) => ({ kind: 'removal', url: urlOf(i), at })))
    await opened.writer.purge(purged.map(urlOf))
    expect(opened.snapshots.catalog.segments).toHaveLength(2)
    proceed.resolve()
    await until(() => opened.snapshots.catalog.segments.length === 1 && opened.writer.mergesUnderWay === 0)
    expectCounted(opened)

    // Like a crash: the store is closed while the writer is open. Only the thread must not have the folder open any more.
    await stopThread()
    await opened.store.close()
    closing = []
    expectCounted(await openWriter(() => []))
    expect(warnings).toEqual([])
  })
})

describe('the disk space of replaced data', () => {
  it('is reclaimed even if a process was killed during the merge and another one opened the index since', async () => {
    await fill(pages('a', 30))
    const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
    await store.commit([{ type: 'put', key: chunkKey(77, Stream.postings, 0), value: Buffer.from('leftoverpostings') }])
    await store.close()
    // Another process, which only reads, opens the index first.
    await (await open(dir, { searchThreads: 0 })).close()
    const { snapshots } = await openWriter()
    timers.fire(10_000)
    const index = join(dir, 'index')
    const isLeft = async (): Promise<boolean> => {
      const tables = (await readdir(index)).filter(name => /\.(ldb|log)$/.test(name))
      // A table may be replaced while it is being read.
      const files = await Promise.all(tables.map(name => readFile(join(index, name), 'latin1').catch(() => '')))
      return files.some(file => file.includes('leftoverpostings'))
    }
    await expect.poll(isLeft).toBe(false)
    expect(snapshots.catalog.segments[0]!.captures).toBe(30)
  })

  it('is reclaimed only when the index is idle if it is less than an eighth of the index', async () => {
    await fill(['a'], ['b'], ['c'])
    const store = await FolderStore.open(join(dir, 'index'), { cacheBytes: 1024 })
    // Segments whose manifest entries claim that they are large.
    const manifest = decodeManifest(store.get(manifestKey)!)
    const mb = 1024 * 1024
    const segments = manifest.segments.map((info, s) => ({ ...info, bytes: (s < 2 ? 20 : 1000) * mb }))
    await store.commit([{ type: 'put', key: manifestKey, value: encodeManifest({ ...manifest, segments }) }])
    await store.close()
    const two: MergePolicy = all => (all.length === 3 ? all.slice(0, 2).map(({ id }) => id) : [])
    const { store: merged, snapshots, writer } = await openWriter(two)
    await until(() => snapshots.catalog.segments.length === 2 && writer.mergesUnderWay === 0)
    expect(merged.get(wasteKey)).toBeDefined()
    timers.fire(3000)
    await until(() => merged.get(wasteKey) === undefined)
  })

  it('is reclaimed after a merge', async () => {
    const engine = await open(dir, { mergePolicy: () => [], searchThreads: 0 })
    let state = 1
    // Words that compress badly, for segments of some size.
    const word = (): string => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state.toString(36)
    }
    for (let batch = 0; batch < 8; batch++)
      await engine.add(
        Array.from({ length: 100 }, (_, i) => ({
          url: `https://example.com/${batch}/${i}`,
          text: Array.from({ length: 400 }, word).join(' '),
        })),
      )
    await engine.close()
    const { bytes: before } = await reopenedStats()
    const merging = await open(dir, {
      mergePolicy: all => (all.length > 1 ? all.map(({ id }) => id) : []),
      searchThreads: 0,
    })
    await merging.add([{ url: 'https://example.com/last', text: 'last' }])
    await merging.close()
    const { bytes: after, segments } = await reopenedStats()
    expect(segments).toBeLessThanOrEqual(2)
    expect(after).toBeLessThan(before! * 1.1)
  })

  async function reopenedStats() {
    const engine = await open(dir, { mergePolicy: () => [], searchThreads: 0 })
    try {
      return await engine.stats()
    } finally {
      await engine.close()
    }
  }
})
