import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, RankingRule, Relevance, Synonym } from '../../../../core/index.ts'
import { inverseDocumentFrequency } from '../../../../core/search/topk/term-weights.ts'
import { randomMerges } from '../../history-script.ts'
import {
  DAY,
  expectRanked,
  FIRST,
  NaiveIndex,
  type Observation,
  observations,
  textOf,
  urlOf,
  withEngine,
} from '../naive-index.ts'

const words = ['car', 'auto', 'truck', 'nyc', 'new', 'york', 'big', 'melon', 'river', 'stone']
const texts = [...words, 'new york', 'big melon', 'big new york', 'york river']
const text = fc.constantFrom(...texts)

const synonym: fc.Arbitrary<Synonym> = fc.oneof(
  fc.uniqueArray(text, { minLength: 2, maxLength: 4 }),
  fc.record({
    words: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }),
    also: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
  }),
)

const rule: fc.Arbitrary<RankingRule> = fc
  .record({
    when: fc.option(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }), { nil: undefined }),
    pin: fc.array(fc.record({ page: fc.nat(8), position: fc.integer({ min: 1, max: 5 }) }), { maxLength: 3 }),
    boost: fc.array(
      fc.record({
        filter: fc.constantFrom({ color: 'red' }, { color: 'blue' }, { size: { gte: 2 } }, { size: 'a word' }),
        factor: fc.constantFrom(0.1, 0.5, 1, 2, 10),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ when, pin, boost }) => ({
    when: when?.join(' '),
    pin: pin.map(({ page, position }) => ({ url: urlOf({ page }), position })),
    boost,
  }))

/** The fields of a version of a page. */
const fieldsOf = ({ page, day }: { page: number; day: number }) => ({
  color: (page + day) % 2 === 0 ? 'red' : 'blue',
  size: (page + 2 * day) % 4,
  brand: ['big river', ['stone', 'new york co'], 'other'][(2 * page + day) % 3]!,
})

/** The words of the brands of a version of a page. */
const brandWords = (version: { page: number; day: number }) => [fieldsOf(version).brand].flat().join(' ').split(' ')

const relevance: fc.Arbitrary<Relevance> = fc.record(
  {
    weights: fc.record(
      {
        title: fc.constantFrom(0, 1, 3, 7),
        fields: fc.record({ brand: fc.constantFrom(0, 0.5, 20), size: fc.constant(2) }),
      },
      { requiredKeys: [] },
    ),
    synonyms: fc.array(synonym, { maxLength: 4 }),
    stopWords: fc.uniqueArray(fc.constantFrom(...words), { maxLength: 2 }),
    rules: fc.array(rule, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

/** The texts that a text also finds, with the texts that begin at a word of a query the longest first. */
function alternativesOf(synonyms: readonly Synonym[], of: string): string[] {
  return synonyms.flatMap(synonym => {
    if ('also' in synonym) return synonym.words.includes(of) ? [...synonym.also] : []
    return synonym.includes(of) ? synonym.filter(other => other !== of) : []
  })
}

function rulesFor({ rules = [] }: Relevance, query: string): RankingRule[] {
  const asked = query.split(' ')
  return rules.filter(({ when }) => when === undefined || when.split(' ').every(word => asked.includes(word)))
}

/** Expects the pins of a query at their positions. Returns the pinned pages. */
async function expectPinned(
  engine: Engine,
  { query, queryTime }: { query: string; queryTime: number },
  { index, held }: { index: NaiveIndex; held: Relevance },
): Promise<string[]> {
  const current = index.captures.map(({ url }) => url)
  const pins = new Map<string, number>()
  for (const { url, position } of rulesFor(held, query).flatMap(({ pin = [] }) => pin))
    if (current.includes(url) && !pins.has(url)) pins.set(url, position)
  const options = { mode: 'realtime', queryTime, language: 'en', maxResults: 1000, snippetMaxLength: 0 } as const
  const { results } = await engine.search(query, options)
  let next = 0
  for (const [url, position] of [...pins].sort(([, a], [, b]) => a - b)) {
    const at = results.findIndex(result => result.url === url)
    const wanted = Math.max(position - 1, next)
    expect(at, query).toBeGreaterThanOrEqual(0)
    if (at < wanted) expect(results.slice(at).every(result => pins.has(result.url))).toBe(true)
    else expect(at).toBe(wanted)
    next = wanted + 1
  }
  return [...pins.keys()]
}

/** The pages that a query finds with some relevance, by their words alone. */
function naiveAnswer(index: NaiveIndex, query: string, relevance: Relevance) {
  const { synonyms = [], stopWords = [], weights } = relevance
  const boosts = rulesFor(relevance, query).flatMap(({ boost = [] }) => boost)
  const asked = query.split(' ')
  const content = asked.filter(word => !stopWords.includes(word))
  const scoring = content.length > 0 ? content : asked
  const brand = weights?.fields?.brand ?? 0
  const versionOf = ({ page, acquiredAt }: { page: number; acquiredAt: number }) => ({ page, day: acquiredAt })
  const hasBrand = (word: string) => index.captures.filter(capture => brandWords(versionOf(capture)).includes(word))
  const idf = (word: string) => {
    const inTexts = index.frequencyOf(term => term === word)
    const frequency = brand > 0 ? Math.max(inTexts, hasBrand(word).length) : inTexts
    return inverseDocumentFrequency(index.captures.length, frequency)
  }
  const terms = new Map<string, number>()
  for (const word of scoring) terms.set(word, (terms.get(word) ?? 0) + idf(word))
  const phrases: { forms: string[]; weight: number }[] = []
  const isText = (from: string) => synonyms.some(one => ('also' in one ? one.words : one).includes(from))
  for (let at = 0; at < asked.length; ) {
    let size = 3
    while (size > 0 && !(at + size <= asked.length && isText(asked.slice(at, at + size).join(' ')))) size--
    const replaced = [...new Set(asked.slice(at, at + size))].filter(word => scoring.includes(word))
    const alternatives = [...new Set(alternativesOf(synonyms, asked.slice(at, at + size).join(' ')))]
    if (replaced.length > 0) {
      const forms = alternatives.filter(other => other.includes(' '))
      const sum = replaced.reduce((total, word) => total + idf(word), 0)
      if (forms.length > 0) phrases.push({ forms, weight: 0.7 * sum })
      for (const other of alternatives)
        if (!other.includes(' ') && !terms.has(other)) terms.set(other, 0.7 * Math.max(...replaced.map(idf)))
    }
    at += Math.max(1, size)
  }
  const title = weights?.title
  return index.captures.flatMap(capture => {
    const parts = [capture.title, capture.text].map(list => ` ${list.map(({ term }) => term).join(' ')} `)
    const has = (wanted: string) => parts.some(part => part.includes(` ${wanted} `))
    const found = [...terms].filter(([term]) => has(term))
    const favored = phrases.filter(({ forms }) => forms.some(has))
    const branded = brand > 0 ? [...terms].filter(([term]) => brandWords(versionOf(capture)).includes(term)) : []
    if (found.length + favored.length + branded.length === 0) return []
    const ofTerms = found.map(([term, weight]) => weight * index.saturated(capture, term, title))
    const score = [
      ...ofTerms,
      ...favored.map(({ weight }) => weight / 3),
      ...branded.map(([, weight]) => (brand * weight) / 3),
    ].reduce((a, b) => a + b, 0)
    const { color, size } = fieldsOf({ page: capture.page, day: capture.acquiredAt })
    const factors = boosts.map(({ filter, factor }) =>
      filter.color === color || (typeof filter.size === 'object' && size >= 2) ? factor : 1,
    )
    const factor = factors.reduce((a, b) => a * b, 1)
    return [{ url: capture.url, score: score * Math.min(10, Math.max(0.1, factor)) }]
  })
}

interface Change {
  day: number
  relevance: Relevance
}

/** The relevance as of a day: the last that was set by then. */
function relevanceOn(changes: readonly Change[], day: number): Relevance {
  return changes.findLast(change => change.day <= day)?.relevance ?? {}
}

/** Plays observations and changes into an index day by day. */
async function played(
  all: readonly Observation[],
  changes: readonly Change[],
  merges: number,
  test: (engine: Engine) => Promise<void>,
): Promise<void> {
  let clock = FIRST
  const days = Array.from({ length: 14 }, (_, day) => async (engine: Engine) => {
    clock = FIRST + day * DAY
    for (const change of changes)
      if (change.day === day) expect(await engine.setRelevance(change.relevance)).toBeLessThanOrEqual(clock)
    const inputs = all
      .filter(observation => observation.day === day)
      .map(observation =>
        observation.isRemoved
          ? { url: urlOf(observation), removedAt: clock }
          : {
              url: urlOf(observation),
              title: observation.title,
              text: textOf(observation),
              fields: fieldsOf(observation),
              acquiredAt: clock,
            },
      )
    expect((await engine.add(inputs)).failures).toEqual([])
    return day % 4 === 3
  })
  await withEngine(all.length, { now: () => clock, mergePolicy: randomMerges(merges) }, days, async engine => {
    clock = FIRST + 400 * DAY
    await test(engine)
  })
}

const changesArbitrary = fc
  .uniqueArray(fc.record({ day: fc.integer({ min: 0, max: 13 }), relevance }), {
    maxLength: 4,
    selector: ({ day }) => day,
  })
  .map(changes => changes.toSorted((a, b) => a.day - b.day))
const query = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map(list => list.join(' '))

describe('the relevance of an index', () => {
  it('finds and scores alternatives like a naive reading with the relevance that held at each instant', async () => {
    const cases = fc.record({
      all: observations(words),
      changes: changesArbitrary,
      merges: fc.integer(),
      queries: fc.array(query, { minLength: 3, maxLength: 5 }),
      days: fc.array(fc.integer({ min: 0, max: 13 }), { minLength: 2, maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, changes, merges, queries, days }) => {
        await played(all, changes, merges, async engine => {
          for (const day of days) {
            const held = relevanceOn(changes, day)
            const queryTime = FIRST + day * DAY
            expect((await engine.relevance({ queryTime })).relevance).toEqual(JSON.parse(JSON.stringify(held)))
            // Corrected and split words would be found besides.
            const index = new NaiveIndex(all, day)
            for (const query of queries) {
              if (query.split(' ').some(word => index.frequencyOf(term => term === word) === 0)) continue
              const expected = naiveAnswer(index, query, held)
              const pinned = await expectPinned(engine, { query, queryTime }, { index, held })
              const left = expected.filter(({ url }) => !pinned.includes(url))
              // Otherwise the words could be taken for those of a language with other stems.
              await expectRanked(engine, query, { mode: 'realtime', queryTime, language: 'en' }, left, pinned)
            }
          }
        })
      }),
      { numRuns: 6 },
    )
  }, 300_000)

  it('answers as of an instant like an index that never learned of anything later', async () => {
    const cases = fc.record({
      all: observations(words),
      changes: changesArbitrary,
      merges: fc.integer(),
      queries: fc.array(query, { minLength: 2, maxLength: 4 }),
      day: fc.integer({ min: 0, max: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ all, changes, merges, queries, day }) => {
        const asked = { queryTime: FIRST + day * DAY, maxResults: 4 }
        const answersOf = (observed: readonly Observation[], set: readonly Change[]): Promise<unknown[]> => {
          const answers: unknown[] = []
          const ask = async (engine: Engine) => {
            for (const query of queries)
              for (const options of [{ mode: 'realtime' }, { mode: 'realtime', typing: true }, {}] as const) {
                const { results, warning, receipt } = await engine.search(query, { ...asked, ...options })
                answers.push([results, warning, receipt.relevanceSince, receipt.captures])
              }
          }
          return played(observed, set, merges, ask).then(() => answers)
        }
        const isKnown = (one: { day: number }) => one.day <= day
        expect(await answersOf(all, changes)).toEqual(await answersOf(all.filter(isKnown), changes.filter(isKnown)))
      }),
      { numRuns: 5 },
    )
  }, 300_000)
})
