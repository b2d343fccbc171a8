import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyze } from '../../../core/ingest/analyze.ts'
import type { Entry } from '../../../core/ingest/entry.ts'
import { preparePlainEntry } from '../../../core/ingest/plain-entry.ts'
import { prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { ObservationInput } from '../../../core/page.ts'
import { loadPages, type PageValues } from '../../../core/partial/load-pages.ts'
import { type IndexedCapture, PartialIndex } from '../../../core/partial/partial-index.ts'
import type { CollectionSource, ContenderQuery } from '../../../core/search/collection/collection-source.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import { resolveSearch } from '../../../core/search/resolve-search.ts'
import { SegmentsCollection } from '../../../core/search/segments-collection.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const START_AT = Date.UTC(2024, 0, 1)
const nothing = { nextCaptureId: 1, lastStampAt: -8.64e15, urls: 0, purged: 0, dropped: 0, retainedSinceAt: -8.64e15 }
const now = START_AT + 1000

function entriesOf(observations: readonly ObservationInput[]): Entry[] {
  return observations.map((one): Entry => {
    const plain = preparePlainEntry(one, now)
    if (plain) return plain
    return {
      kind: 'content',
      analyzed: { group: analyze([prepareCapture(one as never, now)], ANALYZER).group, index: 0 },
    }
  })
}

/** A part with all pages, as the store of a whole index. @param captures - its captures. */
function storeOf(all: PartialIndex, captures: readonly IndexedCapture[]): PageValues {
  return {
    getMany: keys => all.store.getMany([...keys]),
    range: async range => {
      const found: [Uint8Array, Uint8Array][] = []
      for await (const entry of all.store.iterate(range)) found.push(entry)
      return found
    },
    columns: async () => new Map(captures.map(one => [one.captureId, one])),
  }
}

/** What a search of a part asks of the whole, answered from a part with all pages. */
function sourceOf(all: PartialIndex, instant: number): CollectionSource {
  const collection = new SegmentsCollection(all.catalog.segments, instant)
  return {
    statistics: collection.statistics,
    frequencyOf: term => collection.frequencyOf(term),
    contains: term => collection.frequencyOf(term) > 0,
    nearTerms: (term, edits) => collection.nearTerms(term, edits),
    fieldType: () => undefined,
    textFields: () => [],
    fieldNames: () => [],
    expectBest: () => {},
    matches: () => ({ leavesOut: () => true, count: () => 0, facet: () => [] }),
    expectFirst: () => {},
    expectPages: () => {},
    expand: pattern => ({ terms: [], isTooLarge: false, captures: pattern.at * 0 }),
    similarityTo: () => undefined,
    expectNearest: () => ({ least: Number.POSITIVE_INFINITY, compared: 0 }),
    refuse: what => {
      throw new Error(what)
    },
  }
}

const words = ['time', 'travel', 'river', 'stone', 'light', 'running', 'engine']
const urls = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => `https://example.com/${name}`)
const observation = fc.record({
  url: fc.constantFrom(...urls),
  text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }).map(list => list.join(' ')),
  acquiredAt: fc.integer({ min: START_AT, max: START_AT + 20 }),
})

describe('a part of an index', () => {
  it('answers as the whole does if it has the pages that the whole finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(observation, { minLength: 3, maxLength: 20 }),
        fc.subarray(urls),
        fc.nat(20),
        async (observations, others, offset) => {
          const all = new PartialIndex(nothing)
          const { captures } = await all.commit(entriesOf(observations), now, new Map())
          const instant = START_AT + offset
          for (const query of ['time river', 'stone travel light', '"time travel"', 'runing -stone']) {
            for (const mode of ['pro', 'realtime'] as const) {
              const request = resolveSearch(parseSearch(query, { mode, maxResults: 2, queryTime: instant }), now)
              const expected = all.answer(request, instant, sourceOf(all, instant))
              const part = new PartialIndex(nothing)
              // `pro` looks at more pages than it returns.
              const found = resolveSearch(
                parseSearch(query, { mode: 'realtime', maxResults: 100, queryTime: instant }),
                now,
              )
              const needed = all.answer(found, instant, sourceOf(all, instant)).results.map(({ url }) => url)
              await loadPages(part, new Set([...needed, ...others]), storeOf(all, captures))
              const { results, receipt } = part.answer(request, instant, sourceOf(all, instant))
              expect(results).toEqual(expected.results)
              expect({ ...receipt, segments: expected.receipt.segments }).toEqual(expected.receipt)
            }
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('asks the whole for a term once that a query has twice, with the sum of both weights', async () => {
    const part = new PartialIndex(nothing)
    const pages = ['lamp', 'chair', 'chair'].map((text, n) => ({
      url: urls[n]!,
      title: text,
      text,
      acquiredAt: START_AT,
      fields: { notes: { $text: text } },
    }))
    await part.commit(entriesOf(pages), now, new Map())
    const all = new SegmentsCollection(part.catalog.segments, now)
    const termsOf = (query: string): ContenderQuery['terms'] => {
      const asked: ContenderQuery[] = []
      part.answer(resolveSearch(parseSearch(query, { mode: 'webql', queryTime: now }), now), now, {
        ...sourceOf(part, now),
        textFields: () => all.textFields(),
        fieldType: name => all.fieldType(name),
        expectBest: one => asked.push(one),
      })
      expect(asked).toHaveLength(1)
      return asked[0]!.terms
    }
    const twice = termsOf('title:lamp AND notes:lamp')
    const inAll = termsOf('lamp')
    expect(twice.map(({ term }) => term).sort()).toEqual(inAll.map(({ term }) => term).sort())
    const share = (terms: ContenderQuery['terms']): number =>
      terms.find(({ term }) => term !== 'lamp')!.weight / terms.find(({ term }) => term === 'lamp')!.weight
    expect(share(twice)).toBeCloseTo(2 * share(inAll), 6)
  })

  it('says how a change changes the statistics of the whole, and which values it writes', async () => {
    const part = new PartialIndex(nothing)
    const url = urls[0]!
    const first = await part.commit(
      entriesOf([{ url, title: 'A', text: 'one two', acquiredAt: START_AT }]),
      now,
      new Map(),
    )
    const added = { captures: 1, standing: 1, standingLength: 5, declared: 1, urls: 1 }
    expect(first.statistics).toEqual(new Map([[START_AT, added]]))
    const [capture] = first.captures
    expect(capture).toMatchObject({ url, acquiredAt: START_AT, supersededAt: Number.POSITIVE_INFINITY, length: 5 })
    const { terms, numbers } = capture!.occurrences!
    let from = 0
    for (const _ of terms.slice(0, terms.indexOf('a'))) from += 2 + numbers[from + 1]!
    // It is in the title alone, which counts three times, at the first position.
    expect([...numbers.subarray(from, from + 3)]).toEqual([3, 1, 0])
    const [group] = first.addedTerms
    expect(group!.firstAt[group!.terms.indexOf('two')]).toBe(START_AT)
    expect(first.counters).toMatchObject({ urls: 1 })
    const next = await part.commit(entriesOf([{ url, text: 'three', title: 'A' }]), START_AT + 5, new Map())
    expect(next.captures.map(({ supersededAt }) => supersededAt)).toEqual([START_AT + 5, Number.POSITIVE_INFINITY])
    // At this instant the first capture, of the weighted length 5, is superseded by one of the length 4.
    const replaced = { captures: 1, standing: 0, standingLength: -1, declared: 0, urls: 0 }
    expect(next.statistics).toEqual(new Map([[START_AT + 5, replaced]]))
    const purged = await part.purge([url])
    expect(purged?.deleted).toEqual(expect.arrayContaining(first.captures.map(({ captureId }) => captureId)))
    const negative = (one: object): object => Object.fromEntries(Object.entries(one).map(([name, n]) => [name, 0 - n]))
    expect(purged?.statistics).toEqual(
      new Map([
        [START_AT, negative(added)],
        [START_AT + 5, negative(replaced)],
      ]),
    )
    expect(purged?.counters).toMatchObject({ urls: 0, purged: 2 })
    expect(await part.purge([url])).toBeUndefined()
  })

  it('changes captures that were not analyzed as it changes those that were', async () => {
    const fields = fc.option(fc.record({ price: fc.constantFrom(5, 7) }), { nil: undefined })
    const observed = fc.tuple(observation, fields).map(([one, given]) => ({ ...one, fields: given }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(observed, { minLength: 1, maxLength: 12 }),
        fc.array(observed, { minLength: 1, maxLength: 8 }),
        async (before, after) => {
          const all = new PartialIndex(nothing)
          const { counters, captures } = await all.commit(entriesOf(before), now, new Map())
          const changes = []
          for (const isForCommit of [false, true]) {
            const part = new PartialIndex(counters)
            await loadPages(part, new Set(urls), storeOf(all, captures), { isForCommit })
            const change = await part.commit(entriesOf(after), now, new Map())
            changes.push({
              ...change,
              captures: change.captures.sort((a, b) => a.captureId - b.captureId),
              deleted: change.deleted.sort(),
              // The order of segments decides theirs.
              fields: change.fields.map(one => JSON.stringify(one)).sort(),
            })
          }
          expect(changes[1]).toEqual(changes[0])
        },
      ),
    )
  })

  it('rejects a field of another type than that of pages elsewhere, and says which fields begin and end', async () => {
    const part = new PartialIndex(nothing)
    const lamp = (url: string, price: number | string): ObservationInput => ({
      url,
      text: 'lamp',
      fields: { price },
      acquiredAt: START_AT,
    })
    const elsewhere = new Map([['price', { type: 'keyword' as const, holders: 3 }]])
    const refused = await part.commit(entriesOf([lamp(urls[0]!, 5)]), now, elsewhere)
    expect(refused.outcomes).toEqual([expect.objectContaining({ code: 'ASOF_INVALID_CAPTURE' })])
    const added = await part.commit(entriesOf([lamp(urls[0]!, 'low')]), now, elsewhere)
    expect(added.fields).toEqual([{ name: 'price', type: 'keyword', at: START_AT, holders: 1 }])
    // The only page that has the field may give it another type.
    const own = new Map([['price', { type: 'keyword' as const, holders: 1 }]])
    const changed = await part.commit(entriesOf([lamp(urls[0]!, 5)]), now, own)
    expect(changed.outcomes).toEqual(['captured'])
  })
})
