import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Engine, type OpenOptions, open, type SearchOptions } from '../../../core/index.ts'
import { inverseDocumentFrequency } from '../../../core/search/topk/term-weights.ts'
import { rankingModel } from '../../../core/segment/ranking-model.ts'
import { type QueryTerm, queryTerms } from '../../../core/text/terms/query-terms.ts'

/** What was seen of one page on a day: its content, or its removal. */
export interface Observation {
  page: number
  day: number
  title: string
  text: string
  isRemoved: boolean
}

/** Histories of 8 pages over 13 days, in the order in which an index receives them. */
export function observations(vocabulary: readonly string[]): fc.Arbitrary<Observation[]> {
  const words = (maxLength: number) =>
    fc.array(fc.constantFrom(...vocabulary), { maxLength }).map(list => list.join(' '))
  return fc.uniqueArray(
    fc.record({
      page: fc.nat(7),
      day: fc.nat(12),
      // A page without a title gets the beginning of its text as title.
      title: words(2).map(title => `qq ${title}`.trim()),
      text: words(10),
      isRemoved: fc.nat(7).map(n => n === 0),
    }),
    { minLength: 5, maxLength: 40, selector: ({ page, day }) => `${page} ${day}` },
  )
}

export function urlOf({ page }: Pick<Observation, 'page'>): string {
  return `https://p${page}.example/`
}

/** The text of a page. Its last word differs from page to page and from day to day, so each content is a capture. */
export function textOf({ page, day, text }: Observation): string {
  return `${text} zz${page}d${day}`.trim()
}

interface Capture {
  url: string
  page: number
  title: QueryTerm[]
  text: QueryTerm[]
  acquiredAt: number
}

/** A term that scores: what it adds is `weight` × the saturated frequency. */
export interface NaiveTerm {
  term: string
  weight: number
}

/** The captures that stood on a day, as plain lists of words: what an answer about them must amount to. */
export class NaiveIndex {
  readonly captures: Capture[]
  readonly #averageLength: number

  constructor(all: readonly Observation[], day: number) {
    const seen = all.filter(observation => observation.day <= day)
    const isLast = (a: Observation) => !seen.some(b => b.page === a.page && b.day > a.day)
    this.captures = seen
      .filter(observation => !observation.isRemoved && isLast(observation))
      .map(observation => ({
        url: urlOf(observation),
        page: observation.page,
        title: queryTerms(observation.title),
        text: queryTerms(textOf(observation)),
        acquiredAt: observation.day,
      }))
    const total = this.captures.reduce((sum, capture) => sum + lengthOf(capture), 0)
    this.#averageLength = this.captures.length > 0 ? total / this.captures.length : 0
  }

  analyze(query: string): QueryTerm[] {
    return queryTerms(query)
  }

  /** Number of captures that have a term which passes a test. */
  frequencyOf(test: (term: string) => boolean): number {
    return this.captures.filter(capture => termsOf(capture).some(test)).length
  }

  idf(test: (term: string) => boolean): number {
    return inverseDocumentFrequency(this.captures.length, this.frequencyOf(test))
  }

  /** The terms of a query that score, each with its weight. */
  scoringTerms(query: string): NaiveTerm[] {
    const words = this.analyze(query)
    const content = words.filter(({ functionWord }) => !functionWord)
    const counts = new Map<string, number>()
    for (const { term } of content.length > 0 ? content : words) counts.set(term, (counts.get(term) ?? 0) + 1)
    return [...counts].map(([term, count]) => ({ term, weight: count * this.idf(other => other === term) }))
  }

  /** The part of a score that one term adds, without its weight. */
  saturated(capture: Capture, term: string, titleWeight: number = rankingModel.titleWeight): number {
    const { k1, b } = rankingModel
    const count = (words: QueryTerm[]) => words.filter(word => word.term === term).length
    const frequency = titleWeight * count(capture.title) + count(capture.text)
    const base = k1 * (1 - b + (b * lengthOf(capture)) / this.#averageLength)
    return frequency / (frequency + base)
  }

  /**
   * The current pages that have one of some terms, or a term of one of some patterns, with their scores. A pattern scores like a
   * word that occurs once in a page of average length.
   */
  ranked(
    terms: readonly NaiveTerm[],
    patterns: readonly ((term: string) => boolean)[] = [],
    titleWeight?: number,
  ): { url: string; score: number }[] {
    const { k1 } = rankingModel
    const weights = patterns.map(test => this.idf(test) / (1 + k1))
    return this.captures.flatMap(capture => {
      const has = new Set(termsOf(capture))
      const found = terms.filter(({ term }) => has.has(term))
      const matching = patterns.flatMap((test, p) => ([...has].some(test) ? [weights[p]!] : []))
      if (found.length + matching.length === 0) return []
      const ofTerms = found.map(({ term, weight }) => weight * this.saturated(capture, term, titleWeight))
      return [{ url: capture.url, score: [...ofTerms, ...matching].reduce((a, b) => a + b, 0) }]
    })
  }
}

function termsOf({ title, text }: Capture): string[] {
  return [...title, ...text].map(({ term }) => term)
}

function lengthOf({ title, text }: Capture): number {
  return rankingModel.titleWeight * title.length + text.length
}

export const DAY = 86_400_000
export const FIRST = Date.parse('2025-01-01T00:00:00Z')
/** The time of the engine's clock. */
const NOW = FIRST + 400 * DAY

/** An index of random observations in this many is in a folder, where it is closed and opened again. The others are in memory. */
const IN_A_FOLDER = 8

/**
 * Gives steps of a history a new engine, one after the other, and then a test. The engine of some histories has a folder,
 * and is closed and opened again meanwhile.
 *
 * @param observations - the number of observations, by which the place of the index is chosen.
 * @param steps - returns true if the index may be opened again after the step.
 */
export async function withEngine(
  observations: number,
  options: OpenOptions,
  steps: Iterable<(engine: Engine) => Promise<boolean>>,
  test: (engine: Engine) => Promise<void>,
): Promise<void> {
  const hasFolder = observations % IN_A_FOLDER === 0
  const dir = hasFolder ? await mkdtemp(path.join(tmpdir(), 'asof-naive-')) : ':memory:'
  const given = { searchThreads: 0, ...options }
  let engine = await open(dir, given)
  try {
    for (const step of steps) {
      if (!(await step(engine)) || !hasFolder) continue
      await engine.close()
      engine = await open(dir, given)
    }
    await test(engine)
  } finally {
    await engine.close()
    if (hasFolder) await rm(dir, { recursive: true, force: true })
  }
}

/** Adds observations to a new index by {@link withEngine}, and passes it to a test. */
export async function withIndex(
  all: readonly Observation[],
  options: OpenOptions,
  test: (engine: Engine) => Promise<void>,
): Promise<void> {
  const steps = Array.from({ length: Math.ceil(all.length / 5) }, (_, step) => async (engine: Engine) => {
    const inputs = all.slice(step * 5, step * 5 + 5).map(observation => {
      const at = FIRST + observation.day * DAY
      return observation.isRemoved
        ? { url: urlOf(observation), removedAt: at }
        : { url: urlOf(observation), title: observation.title, text: textOf(observation), acquiredAt: at }
    })
    expect((await engine.add(inputs)).failures).toEqual([])
    return step % 2 === 1
  })
  await withEngine(all.length, { now: () => NOW, ...options }, steps, test)
}

/**
 * Expects exactly some pages with their scores, in the order of scores, then of time, then of URLs.
 *
 * @param pinned - pages that are not looked at, wherever they are among the results.
 */
export async function expectRanked(
  engine: Engine,
  query: string,
  options: SearchOptions,
  expected: readonly { url: string; score: number }[],
  pinned: readonly string[] = [],
): Promise<void> {
  const asked = { snippetMaxLength: 0, ...options }
  const { results: all } = await engine.search(query, { ...asked, maxResults: 1000 })
  const results = all.filter(({ url }) => !pinned.includes(url))
  expect(results.map(({ url }) => url).sort(), query).toEqual(expected.map(({ url }) => url).sort())
  const scores = new Map(expected.map(({ url, score }) => [url, score]))
  results.forEach((result, i) => {
    expect(result.score, `${query} ${result.url}`).toBeCloseTo(scores.get(result.url) ?? Number.NaN, 4)
    const next = results[i + 1]
    if (!next) return
    const isInOrder =
      result.score > next.score ||
      (result.score === next.score &&
        (result.acquiredAt > next.acquiredAt || (result.acquiredAt === next.acquiredAt && result.url < next.url)))
    expect(isInOrder).toBe(true)
  })
  const top = await engine.search(query, { ...asked, maxResults: 2 })
  expect(top.results).toEqual(all.slice(0, 2))
}
