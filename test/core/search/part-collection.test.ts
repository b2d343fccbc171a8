import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Collection } from '../../../core/search/collection/collection.ts'
import type { CollectionSource } from '../../../core/search/collection/collection-source.ts'
import type { TermPattern } from '../../../core/search/conditions/term-pattern.ts'
import { PartCollection } from '../../../core/search/part-collection.ts'
import { SegmentsCollection } from '../../../core/search/segments-collection.ts'
import { propertyPrefix } from '../../../core/text/terms/property-term.ts'
import { type FilledIndex, filledIndex } from './filled-index.ts'

const NOW = Date.UTC(2025, 0, 10)
const DAY_MS = 86_400_000
const texts = [
  'Der Bahnhof der Stadt und die Straßenbahn, eine Haltestelle mit langer Wartezeit am Abend',
  'harbor lights near the river, and a harbour wall that nobody repaired',
  'Les bateaux quittent le port avant la nuit, et les lumières du quai restent allumées',
  'harbors and rivers of the north, with stones that are older than the harbor',
  'Die Straßenbahnhaltestelle wurde gestern von der Stadt eröffnet, und alle Leute kamen',
]

/** The second page is removed this number of days after the first page was acquired. */
const REMOVED_AFTER_DAYS = 4.5

let index: FilledIndex

beforeAll(async () => {
  index = await filledIndex(NOW, async engine => {
    for (const [i, text] of texts.entries())
      await engine.add([
        {
          url: `https://${i}.example/`,
          title: `Page ${i}`,
          text,
          acquiredAt: NOW - (texts.length - i) * DAY_MS,
          fields: { [`field${i}`]: i % 2 ? i : `value ${i}`, [`note${i}`]: { $text: text }, every: i },
        },
      ])
    await engine.remove('https://1.example/', { at: NOW - (texts.length - REMOVED_AFTER_DAYS) * DAY_MS })
  })
})
afterAll(() => index.close())

const pattern = (prefix: string, more: Partial<TermPattern> = {}): TermPattern => ({
  text: prefix,
  at: 0,
  prefix,
  title: false,
  scores: false,
  ...more,
})

/** Returns a source that answers from all segments of an index. */
function sourceOf(all: SegmentsCollection, instant: number): CollectionSource {
  return {
    statistics: all.statistics,
    frequencyOf: term => all.frequencyOf(term),
    contains: term => all.frequencyOf(term) > 0,
    nearTerms: (term, edits) => all.nearTerms(term, edits),
    expand: ({ inside, ...asked }) => {
      const terms = inside ? all.termsWithin(inside, () => true) : all.termsOf(asked)
      return { terms: [...new Map(terms).keys()], isTooLarge: false, captures: 7 }
    },
    fieldType: name => all.fieldType(name),
    fieldNames: (upTo = instant) => all.fieldNames(upTo),
    textFields: () => all.textFields(),
    expectBest: () => {},
    matches: () => ({ leavesOut: () => true, count: () => 3, facet: () => [] }),
    expectFirst: () => {},
    expectPages: () => {},
    similarityTo: () => undefined,
    expectNearest: () => ({ least: 5, compared: 7 }),
    refuse: what => {
      throw new Error(`no ${what}`)
    },
  }
}

/** Returns the answers that must be the same for both classes of collections. */
function answers(collection: Collection): unknown {
  const summed = new Map<string, number>()
  for (const [term, captures] of collection.termsWithin('bahn', term => !term.endsWith('x')))
    summed.set(term, (summed.get(term) ?? 0) + captures)
  return {
    statistics: collection.statistics,
    frequencies: ['harbor', 'river', 'stadt', 'nowhere', `${propertyPrefix('lang')}de`].map(t =>
      collection.frequencyOf(t),
    ),
    near: collection.nearTerms('harbor', 2).sort((a, b) => (a.term < b.term ? -1 : 1)),
    languages: collection.languages(),
    ofPrefix: [...collection.termsOf(pattern('har'))].sort(),
    ofFuzzy: [...collection.termsOf(pattern('r', { fuzzy: { word: 'rivr', edits: 1 } }))].sort(),
    within: [...summed].sort(),
    fields: collection.fieldNames().map(name => [name, collection.fieldType(name)]),
    ofTexts: collection.textFields(),
    later: collection.fieldNames(NOW),
    unknown: collection.fieldType('nothing'),
  }
}

describe.each([0, 1, 2, 3, 4, 5, 5.75])('as of %d days after the first page', days => {
  const instant = NOW - texts.length * DAY_MS + days * DAY_MS

  it('an index of which a part is in view has the statistics and the vocabulary of the whole', async () => {
    await index.snapshots.read(
      () => ({ asOf: instant }),
      (_, { catalog }) => {
        const all = new SegmentsCollection(catalog.segments, instant)
        expect(answers(new PartCollection(sourceOf(all, instant)))).toEqual(answers(all))
        const acquired = Math.min(texts.length, Math.floor(days) + 1)
        const captures = days < REMOVED_AFTER_DAYS ? acquired : acquired - 1
        expect(all.statistics).toMatchObject({ acquired, captures })
        expect(all.textFields()).toContain('note0')
      },
    )
  })
})

describe('what is expected to be in view', () => {
  it('is if all segments are, and otherwise is asked of the whole', async () => {
    await index.snapshots.read(
      () => ({ asOf: NOW }),
      (_, { catalog }) => {
        const source = sourceOf(new SegmentsCollection(catalog.segments, NOW), NOW)
        const [all, part]: [Collection, Collection] = [
          new SegmentsCollection(catalog.segments, NOW),
          new PartCollection(source),
        ]
        const nearest = { conditions: [], most: 1, minDeviations: 2, scores: [] }
        expect([all, part].map(one => one.nearest(nearest, () => ({ least: 1, compared: 2 })))).toEqual([
          { least: 1, compared: 2 },
          { least: 5, compared: 7 },
        ])
        expect([all, part].map(one => one.capturesWith(pattern('har'), () => 2))).toEqual([2, 7])
        expect(() => all.expectAll('weights of keywords')).not.toThrow()
        expect(() => part.expectAll('weights of keywords')).toThrow('no weights of keywords')
        const titled = [pattern('har', { title: true, scores: true })]
        expect(() => all.expectFewTerms(titled)).not.toThrow()
        expect(() => part.expectFewTerms(titled)).toThrow('no patterns in titles')
      },
    )
  })

  it('rejects a pattern of which the whole has too many terms', async () => {
    await index.snapshots.read(
      () => ({ asOf: NOW }),
      (_, { catalog }) => {
        const all = new SegmentsCollection(catalog.segments, NOW)
        const large = { ...sourceOf(all, NOW), expand: () => ({ terms: [], isTooLarge: true, captures: 0 }) }
        const part = new PartCollection(large)
        for (const asks of [() => part.termsOf(pattern('h')), () => part.expectFewTerms([pattern('h')])])
          expect(asks).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_QUERY' }))
        expect([...part.termsWithin('bahn', () => true)]).toEqual([])
      },
    )
  })
})
