import { describe, expect, it } from 'vitest'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { analyzeQuery, withAlternatives } from '../../../../core/search/analysis/analyze-query.ts'
import { findHits } from '../../../../core/search/find-hits.ts'
import type { FavoredPhrase } from '../../../../core/search/query/scoring-terms.ts'
import { inverseDocumentFrequency } from '../../../../core/search/topk/term-weights.ts'
import { PostingCache } from '../../../../core/segment/posting-cache.ts'
import { rankingModel } from '../../../../core/segment/ranking-model.ts'
import { seed } from '../../../histories.ts'
import { type Fact, generator, randomFacts, segmentOf, urlOf } from '../../random-segments.ts'
import { indexViewAt } from '../index-view.ts'

/** A text that pages may have instead of a word of the query. */
interface Alternative {
  forms: string[][]
  word: string
}

const holds = (fact: Fact, phrase: readonly string[]): boolean =>
  [fact.title, fact.words].some(text => text.some((_, at) => phrase.every((word, i) => text[at + i] === word)))

/** BM25F over the words, plus a third of the weight of the word for each alternative on a page without it. Pages with `excluded` are left out. */
function naive(
  facts: readonly Fact[],
  words: readonly string[],
  alternatives: readonly Alternative[],
  { instant, excluded }: { instant: number; excluded: string },
): Map<string, number> {
  const standing = facts.filter(fact => fact.acquiredAt <= instant && fact.supersededAt > instant)
  const length = (fact: Fact): number => fact.words.length + rankingModel.titleWeight * fact.title.length
  const average = standing.reduce((total, fact) => total + length(fact), 0) / standing.length
  const idfs = new Map(
    words.map(word => [
      word,
      inverseDocumentFrequency(standing.length, standing.filter(fact => holds(fact, [word])).length),
    ]),
  )
  const scores = new Map<string, number>()
  for (const fact of standing) {
    if (holds(fact, [excluded])) continue
    let score = 0
    for (const word of words) {
      const frequency =
        fact.words.filter(w => w === word).length + rankingModel.titleWeight * fact.title.filter(w => w === word).length
      const norm = rankingModel.k1 * (1 - rankingModel.b + (rankingModel.b * length(fact)) / average)
      score += ((idfs.get(word) ?? 0) * frequency) / (frequency + norm)
    }
    for (const { forms, word } of alternatives)
      if (!holds(fact, [word]) && forms.some(form => holds(fact, form))) score += (idfs.get(word) ?? 0) / 3
    if (score > 0) scores.set(fact.url, score)
  }
  return scores
}

describe(`phrases that pages may have instead of words (seed ${seed})`, () => {
  const next = generator(seed)
  const pick = (): string => `w${Math.floor(next() ** 3 * 300)}`

  it.each([
    ['few', 1],
    ['many', 5],
  ])('score as a naive evaluation does, with an exact top k, if they are %s', (_, mostForms) => {
    const facts = randomFacts(9000, next)
    const parts = [0, 4500, 7000, 9000]
    const cache = new PostingCache(2 ** 24)
    const segments = parts.slice(1).map((end, i) => segmentOf(i + 1, facts.slice(parts[i], end), parts[i]!, cache))
    let held = 0
    for (let round = 0; round < 12; round++) {
      const words = [...new Set(Array.from({ length: 1 + Math.floor(next() * 3) }, pick))]
      const alternatives = words.map(word => ({
        forms: Array.from({ length: mostForms + Math.floor(next() * 2) }, () =>
          Array.from({ length: 1 + Math.floor(next() * 2) }, pick),
        ),
        word,
      }))
      const phrases = alternatives.map(
        ({ forms, word }): FavoredPhrase => ({
          forms: forms.map(form => form.map((term, offset) => ({ term, offset }))),
          terms: [{ term: word, count: 1 }],
          unless: word,
        }),
      )
      const instant = round % 2 === 0 ? 1000 : 50 + Math.floor(next() * 150)
      const excluded = pick()
      if (words.includes(excluded)) continue
      const query = withAlternatives(analyzeQuery(`${words.join(' ')} -${excluded}`), phrases)
      const index = indexViewAt(segments, instant)
      const options = { published: undefined, sites: [], urlOf, buffers: new BlockBuffers() }
      const all = findHits(index, query, { ...options, limit: facts.length }).hits
      const expected = naive(facts, words, alternatives, { instant, excluded })
      const found = new Map(all.map(hit => [urlOf(hit.segment.columns.captureIds[hit.ordinal]!), hit.score]))
      expect([...found.keys()].sort(), query.terms.join(' ')).toEqual([...expected.keys()].sort())
      for (const [url, score] of found) expect(score).toBeCloseTo(expected.get(url)!, 5)
      for (const limit of [1, 3, 10, 100])
        expect(findHits(index, query, { ...options, limit }).hits).toEqual(all.slice(0, limit))
      for (let i = 1; i < all.length; i++) expect(all[i]!.score).toBeLessThanOrEqual(all[i - 1]!.score)
      held += [...expected.keys()].length
    }
    expect(held).toBeGreaterThan(0)
  })
})
