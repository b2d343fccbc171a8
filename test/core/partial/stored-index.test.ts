import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readExportRange } from '../../../core/history/history-export.ts'
import { readHistory, readPage, readTimeline } from '../../../core/history/read-history.ts'
import { type Engine, open } from '../../../core/index.ts'
import { analyze } from '../../../core/ingest/analyze.ts'
import type { Entry } from '../../../core/ingest/entry.ts'
import { preparePlainEntry } from '../../../core/ingest/plain-entry.ts'
import { prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { ObservationInput } from '../../../core/page.ts'
import type { InstantStatistics } from '../../../core/partial/instant-statistics.ts'
import type { PageStore } from '../../../core/partial/load-pages.ts'
import type { ColumnValues, HeldFields, IndexCounters, PartChange } from '../../../core/partial/partial-index.ts'
import { StoredIndex } from '../../../core/partial/stored-index.ts'
import type { KeyRange } from '../../../core/store/keys.ts'
import { MemoryStore } from '../../../core/store/memory-store.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const START_AT = Date.UTC(2024, 0, 1)
const now = START_AT + 1000

/** A store elsewhere, which knows keys and values and no index. */
class Elsewhere implements PageStore {
  readonly #values = new MemoryStore()
  readonly #columns = new Map<number, ColumnValues>()
  readonly #statistics: (readonly [number, InstantStatistics])[] = []
  #counters: IndexCounters = {
    nextCaptureId: 1,
    lastStampAt: -8.64e15,
    urls: 0,
    purged: 0,
    dropped: 0,
    retainedSinceAt: -8.64e15,
  }

  get index(): StoredIndex {
    return new StoredIndex(this, this.#counters)
  }

  save({ operations, counters, captures, statistics }: PartChange): void {
    this.#values.apply(operations)
    this.#values.clearCache()
    this.#counters = counters
    this.#statistics.push(...statistics)
    for (const capture of captures)
      if (!this.#columns.has(capture.captureId)) this.#columns.set(capture.captureId, capture)
  }

  /** Returns the sum of one of the statistics over all instants up to one. */
  sum(name: keyof InstantStatistics, instant: number): number {
    return this.#statistics.reduce((sum, [at, change]) => sum + (at <= instant ? change[name] : 0), 0)
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map(key => this.#values.get(key))
  }

  async range(range: KeyRange): Promise<[Uint8Array, Uint8Array][]> {
    return this.firstOf(range, Number.POSITIVE_INFINITY)
  }

  async firstOf(range: KeyRange, atMost: number): Promise<[Uint8Array, Uint8Array][]> {
    const found: [Uint8Array, Uint8Array][] = []
    for await (const entry of this.#values.iterate(range)) if (found.length < atMost) found.push(entry)
    return found
  }

  async *pagesOf(range: KeyRange): AsyncGenerator<[Uint8Array, Uint8Array][]> {
    for (const entry of await this.range(range)) yield [entry]
  }

  async columns(): Promise<ReadonlyMap<number, ColumnValues>> {
    return this.#columns
  }
}

function entryOf(one: ObservationInput): Entry {
  const plain = preparePlainEntry(one, now)
  return (
    plain ?? {
      kind: 'content',
      analyzed: { group: analyze([prepareCapture(one as never, now)], ANALYZER).group, index: 0 },
    }
  )
}

const stampAt = (declaredAt: number): number => Math.max(now, declaredAt)
const fields = async (): Promise<HeldFields> => new Map()

const urls = ['a', 'b', 'c', 'd'].map(name => `https://example.com/${name}`)
const at = fc.integer({ min: START_AT, max: START_AT + 20 })
const url = fc.constantFrom(...urls)
const observation: fc.Arbitrary<ObservationInput> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ url, acquiredAt: at, text: fc.constantFrom('lamp', 'chair', 'old lamp') }) },
  fc.record({ url, acquiredAt: at, text: fc.constant('lamp'), publishedAt: fc.constant(START_AT - 5) }),
  fc.record({ url, removedAt: at }),
  fc.record({ url, seenAt: at }),
  fc.record({ url, aliasedAt: at, aliases: url.map(one => [`${one}-old`]) }),
)

async function exported(engine: Pick<Engine, 'export'>): Promise<ObservationInput[]> {
  const all: ObservationInput[] = []
  for (let cursor: string | undefined; ; ) {
    const { observations, next } = await engine.export({ cursor, maxResults: 3 })
    all.push(...observations)
    if (next === undefined) return all
    cursor = next
  }
}

it('an index whose values are elsewhere reads, exports, selects and deletes as an engine does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(observation, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...urls, `${urls[0]}-old`),
      at,
      async (observations, asked, instant) => {
        const elsewhere = new Elsewhere()
        const engine = await open(':memory:', { now: () => now })
        try {
          for (const one of observations) {
            await engine.add([one])
            const { change } = await elsewhere.index.enter([entryOf(one)], { stampAt, fields })
            elsewhere.save(change)
          }
          const expectEqual = async (): Promise<void> => {
            const { index } = elsewhere
            const times = { requestedAt: now, instant: now, sealedAt: Number.POSITIVE_INFINITY }
            const reads = await index.reads([asked], times)
            expect(await readPage(asked, { queryTime: instant }, reads)).toEqual(
              await engine.page(asked, { queryTime: instant }),
            )
            expect(await readHistory(asked, {}, reads)).toEqual(await engine.history(asked))
            expect(await readTimeline(asked, reads)).toEqual(await engine.timeline(asked))
            const current = await index.capturesAt(urls, instant)
            for (const one of urls)
              expect(current.has(one)).toBe((await engine.page(one, { queryTime: instant }))?.url === one)
            expect(elsewhere.sum('standing', instant)).toBe(current.size)
            const columns = await elsewhere.columns()
            const length = [...current.values()].reduce((sum, id) => sum + columns.get(id)!.length, 0)
            expect(elsewhere.sum('standingLength', instant)).toBe(length)
            expect(
              await exported({ export: async options => elsewhere.index.export(readExportRange(options!), now) }),
            ).toEqual(await exported(engine))
            const conditions = { site: undefined, prefix: urls[1]!, filter: undefined }
            const range = { after: undefined, atMost: 9, mostRead: 9, isOfAllTime: false }
            const { pages } = await index.select(conditions, range, now, () => Promise.reject(new Error('no filter')))
            const { pages: selected } = await engine.removeAll({ prefix: urls[1]! }, { dryRun: true })
            expect(pages).toHaveLength(selected)
          }
          await expectEqual()
          const purge = await elsewhere.index.purge([asked], { ofPage: true })
          expect(purge?.purged ?? 0).toBe(await engine.purge(asked))
          if (purge) elsewhere.save(purge)
          await expectEqual()
        } finally {
          await engine.close()
        }
      },
    ),
    { numRuns: 12 },
  )
})
