import { describe, expect, it } from 'vitest'
import type { TimeWindow } from '../../../../core/dates/resolve-times.ts'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { analyzeQuery } from '../../../../core/search/analysis/analyze-query.ts'
import { findHits } from '../../../../core/search/find-hits.ts'
import { inverseDocumentFrequency } from '../../../../core/search/topk/term-weights.ts'
import { PostingCache } from '../../../../core/segment/posting-cache.ts'
import { rankingModel } from '../../../../core/segment/ranking-model.ts'
import { seed } from '../../../histories.ts'
import {
  type Fact,
  generator,
  hostOf,
  PUBLISHED_STEP_MS,
  randomFacts,
  segmentOf,
  urlOf,
} from '../../random-segments.ts'
import { indexViewAt } from '../index-view.ts'

/** BM25F in plain floating point over plain words, independent of the engine. */
function naive(
  facts: readonly Fact[],
  words: readonly string[],
  instant: number,
  published: TimeWindow | undefined,
): Map<string, number> {
  const standing = facts.filter(fact => fact.acquiredAt <= instant && fact.supersededAt > instant)
  const length = (fact: Fact): number => fact.words.length + rankingModel.titleWeight * fact.title.length
  const average = standing.reduce((total, fact) => total + length(fact), 0) / standing.length
  const holdings = words.map(
    word => standing.filter(fact => fact.words.includes(word) || fact.title.includes(word)).length,
  )
  const scores = new Map<string, number>()
  for (const fact of standing) {
    if (published && !(fact.publishedAt >= published.from && fact.publishedAt <= published.to)) continue
    let score = 0
    for (const [index, word] of words.entries()) {
      const frequency =
        fact.words.filter(w => w === word).length + rankingModel.titleWeight * fact.title.filter(w => w === word).length
      if (frequency === 0) continue
      const norm = rankingModel.k1 * (1 - rankingModel.b + (rankingModel.b * length(fact)) / average)
      score += (inverseDocumentFrequency(standing.length, holdings[index]!) * frequency) / (frequency + norm)
    }
    if (score > 0) scores.set(fact.url, score)
  }
  return scores
}

const everything = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

describe(`block-max pruning (seed ${seed})`, () => {
  const next = generator(seed)
  const pick = (): string => `w${Math.floor(next() ** 3 * 400)}`

  it.each([3000, 9000, 14000])(
    'returns exactly the top of an exhaustive ranking over %i captures in several segments',
    count => {
      const facts = randomFacts(count, next)
      const parts = [0, count >> 1, (count * 3) >> 2, count]
      const cache = new PostingCache(2 ** 24)
      const segments = parts.slice(1).map((end, i) => segmentOf(i + 1, facts.slice(parts[i], end), parts[i]!, cache))
      for (let round = 0; round < 60; round++) {
        const words = Array.from({ length: 1 + Math.floor(next() * 5) }, pick)
        // A site with many captures, or with few.
        const site = round % 8 === 2 ? 'example.org' : hostOf(round % 20)
        const extra = ['', ` -${pick()}`, ` site:${site}`, ` "${pick()} ${pick()}"`][round % 4]!
        const query = analyzeQuery(words.join(' ') + extra)
        const instant = round % 3 === 0 ? 1000 : Math.floor(next() * 210)
        const window = (step: number): TimeWindow => {
          const from = Math.floor(next() * 150)
          return { from: from * step, to: (from + Math.floor(next() * 100)) * step }
        }
        const times = {
          acquired: round % 5 === 0 ? window(1) : everything,
          published: round % 4 === 0 ? window(PUBLISHED_STEP_MS) : undefined,
        }
        const index = indexViewAt(segments, instant, times.acquired)
        const options = { published: times.published, sites: [], urlOf, buffers: new BlockBuffers() }
        const all = findHits(index, query, { ...options, limit: count }).hits
        for (const limit of [1, 3, 10, 100]) {
          const top = findHits(index, query, { ...options, limit }).hits
          expect(top, `query ${words.join(' ')}${extra} at ${instant}`).toEqual(all.slice(0, limit))
        }
        const isOnSite = (url: string): boolean => !extra.includes('site:') || new URL(url).hostname.endsWith(site)
        if (round < 32 && round % 2 === 0 && times.acquired === everything) {
          const scores = naive(facts, words, instant, times.published)
          const expected = new Map([...scores].filter(([url]) => isOnSite(url)))
          expect(new Map(all.map(hit => [urlOf(hit.segment.columns.captureIds[hit.ordinal]!), true])).size).toBe(
            expected.size,
          )
          for (const { segment, ordinal, score } of all)
            expect(score).toBeCloseTo(expected.get(urlOf(segment.columns.captureIds[ordinal]!)) ?? Number.NaN, 5)
        }
        for (let i = 1; i < all.length; i++) expect(all[i]!.score).toBeLessThanOrEqual(all[i - 1]!.score)
      }
    },
    60_000,
  )
})
