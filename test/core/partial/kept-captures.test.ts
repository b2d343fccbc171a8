import { describe, expect, it } from 'vitest'
import { analyze } from '../../../core/ingest/analyze.ts'
import type { Entry } from '../../../core/ingest/entry.ts'
import { prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { StoredCapture } from '../../../core/partial/kept-capture.ts'
import { type CaptureSource, KeptCaptures } from '../../../core/partial/kept-captures.ts'
import { loadPages } from '../../../core/partial/load-pages.ts'
import { PartialIndex } from '../../../core/partial/partial-index.ts'
import { bodyKey, documentKey, revisionRowsKey, urlKey } from '../../../core/store/keys.ts'
import { readDocumentRecord } from '../../../core/store/records/stored-page.ts'
import type { StoredValues } from '../../../core/store/store-reader.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const nothing = { nextCaptureId: 1, lastStampAt: -8.64e15, urls: 0, purged: 0, dropped: 0, retainedSinceAt: -8.64e15 }
const url = 'https://example.com/a'
const CACHE_BYTES = 16 * 1024 * 1024

const entryOf = (text: string, author?: string): Entry => ({
  kind: 'content',
  analyzed: { group: analyze([prepareCapture({ url, text, author }, 0)], ANALYZER).group, index: 0 },
})

/** A whole index with one URL, which notes what is read of it. */
class OneUrl implements CaptureSource {
  readonly part = new PartialIndex(nothing)
  readonly reads: { ids: number[]; unknown: number[] }[] = []
  /** Called before what was read is returned. */
  onRead = (): void => {}

  async add(text: string, at: number): Promise<number> {
    const { captures } = await this.part.commit([entryOf(text)], at, new Map())
    return captures.find(({ occurrences }) => occurrences)!.captureId
  }

  async captures(ids: readonly number[], unknown: ReadonlySet<number>): Promise<StoredCapture[]> {
    this.reads.push({ ids: [...ids], unknown: [...unknown] })
    const { store } = this.part
    const found = ids.flatMap((captureId): StoredCapture[] => {
      if (!store.get(documentKey(captureId))) return []
      const isUnknown = unknown.has(captureId)
      return [
        {
          captureId,
          url: readDocumentRecord(store, captureId).url,
          publishedAt: undefined,
          record: store.get(urlKey(url)),
          rows: store.get(revisionRowsKey(captureId)),
          document: isUnknown ? store.get(documentKey(captureId)) : undefined,
          body: isUnknown ? store.get(bodyKey(captureId)) : undefined,
        },
      ]
    })
    this.onRead()
    return found
  }

  async revise(text: string, author: string, at: number): Promise<void> {
    await this.part.commit([entryOf(text, author)], at, new Map())
  }

  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return this.part.store.getMany([...keys])
  }
}

describe('captures that are kept', () => {
  it('are read once for all instants as of which nothing can change', async () => {
    const whole = new OneUrl()
    const id = await whole.add('first', 1000)
    const kept = new KeptCaptures(CACHE_BYTES)
    const until = { rewrites: 3, instant: 1500 }
    const [capture] = await kept.read([id], whole, { until, instant: 1200 })
    expect(await kept.read([id], whole, { until, instant: 1500 })).toEqual([capture])
    expect(whole.reads).toEqual([{ ids: [id], unknown: [id] }])
  })

  it('have their histories read again for later instants, and after history was rewritten, and not their texts', async () => {
    const whole = new OneUrl()
    const id = await whole.add('first', 1000)
    const kept = new KeptCaptures(CACHE_BYTES)
    await kept.read([id], whole, { until: { rewrites: 3, instant: 1500 }, instant: 1500 })
    await whole.add('second', 2000)
    const [later] = await kept.read([id], whole, { until: { rewrites: 3, instant: 2500 }, instant: 2500 })
    expect(later?.segment.columns.supersededAt[0]).toBe(2000)
    await kept.read([id], whole, { until: { rewrites: 4, instant: 2500 }, instant: 1200 })
    expect(whole.reads.slice(1)).toEqual([
      { ids: [id], unknown: [] },
      { ids: [id], unknown: [] },
    ])
  })

  it('have their own revisions, in whatever order the whole index gives them', async () => {
    const whole = new OneUrl()
    const ids = [await whole.add('river stone', 1000)]
    await whole.revise('river stone', 'Ada', 1100)
    ids.push(await whole.add('river light', 2000))
    await whole.revise('river light', 'Grace', 2100)
    const backwards: CaptureSource = {
      captures: async (...asked) => (await whole.captures(...asked)).reverse(),
      getMany: keys => whole.getMany(keys),
    }
    const until = { rewrites: 0, instant: 3000 }
    const captures = await new KeptCaptures(CACHE_BYTES).read(ids, backwards, { until, instant: 3000 })
    for (const { key, ...operation } of captures.flatMap(({ values }) => values))
      expect({ key, ...operation }).toEqual({ type: 'put', key, value: whole.part.store.get(key) })
    expect(captures.map(({ values }) => values.length)).toEqual([3, 3])
  })

  it('are searched and read as the whole index is', async () => {
    const whole = new OneUrl()
    const ids = [await whole.add('river stone', 1000), await whole.add('river light', 2000)]
    const kept = new KeptCaptures(CACHE_BYTES)
    const part = new PartialIndex(nothing, kept)
    part.showKept(await kept.read(ids, whole, { until: { rewrites: 0, instant: 3000 }, instant: 3000 }))
    expect(part.catalog.segments.map(({ columns }) => [...columns.captureIds])).toEqual([[ids[1]], [ids[0]]])
    for (const [segment, text] of [
      [part.catalog.segments[0]!, 'light'],
      [part.catalog.segments[1]!, 'stone'],
    ] as const) {
      expect(segment.term('river')?.list.count).toBe(1)
      expect(segment.term(text)?.list.count).toBe(1)
    }
    expect(readDocumentRecord(part.store, ids[0]!)).toEqual(readDocumentRecord(whole.part.store, ids[0]!))
    expect(part.store.get(urlKey(url))).toEqual(whole.part.store.get(urlKey(url)))
  })

  it('have every part that a reader of the whole index can read', async () => {
    const whole = new OneUrl()
    const id = await whole.add('river stone', 1000)
    const part = new PartialIndex(nothing, new KeptCaptures(CACHE_BYTES))
    const kept = new KeptCaptures(CACHE_BYTES)
    part.showKept(await kept.read([id], whole, { until: { rewrites: 0, instant: 3000 }, instant: 3000 }))
    const read = (store: StoredValues) => ({
      head: store.head(id),
      termVector: store.termVector(id),
      text: store.text(id)?.piece(0),
      body: store.body(id)?.rest(),
      rest: store.rest(id),
    })
    const found = read(part.store)
    expect(found).toEqual(read(whole.part.store))
    expect(Object.entries(found).filter(([, value]) => value === undefined)).toEqual([])
  })

  it('stay in view when a part brings other pages', async () => {
    const whole = new OneUrl()
    const id = await whole.add('river stone', 1000)
    const kept = new KeptCaptures(CACHE_BYTES)
    const second = await whole.add('river light', 2000)
    const { store } = whole.part
    const pages = {
      getMany: (keys: readonly Uint8Array[]) => store.getMany([...keys]),
      range: async () => [],
      columns: async () => new Map(),
    }
    const later = new PartialIndex(nothing, kept)
    later.showKept(await kept.read([id], whole, { until: { rewrites: 0, instant: 3000 }, instant: 2500 }))
    await loadPages(later, [url], pages)
    expect(later.catalog.segments.map(({ columns }) => [...columns.captureIds])).toContainEqual([id])
    expect(later.has(second)).toBe(true)
  })

  it('are left out and dropped when they were deleted', async () => {
    const whole = new OneUrl()
    const id = await whole.add('first', 1000)
    const kept = new KeptCaptures(CACHE_BYTES)
    await kept.read([id], whole, { until: { rewrites: 0, instant: 1500 }, instant: 1500 })
    await whole.part.purge([url])
    expect(await kept.read([id], whole, { until: { rewrites: 1, instant: 1500 }, instant: 1500 })).toEqual([])
    expect(kept.size).toBe(0)
  })

  it('are not kept if all were dropped while they were read', async () => {
    const whole = new OneUrl()
    const id = await whole.add('first', 1000)
    const kept = new KeptCaptures(CACHE_BYTES)
    whole.onRead = () => kept.clear()
    expect(await kept.read([id], whole, { until: { rewrites: 0, instant: 1500 }, instant: 1500 })).toHaveLength(1)
    expect(kept.size).toBe(0)
  })

  it('take no more memory than their budget', async () => {
    const whole = new OneUrl()
    const kept = new KeptCaptures(1.25 * 1024 * 1024)
    for (let n = 0; n < 80; n++) {
      const id = await whole.add(`page ${n}`, 1000 + n)
      await kept.read([id], whole, { until: { rewrites: 0, instant: 9999 }, instant: 9999 })
    }
    expect(kept.size).toBeGreaterThan(20)
    expect(kept.size).toBeLessThan(60)
  })
})
