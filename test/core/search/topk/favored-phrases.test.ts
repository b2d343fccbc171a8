import { describe, expect, it } from 'vitest'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { analyzeAsWords, analyzeQuery } from '../../../../core/search/analysis/analyze-query.ts'
import { findHits } from '../../../../core/search/find-hits.ts'
import { parsePlain } from '../../../../core/search/plain/plain-query.ts'
import { inverseDocumentFrequency } from '../../../../core/search/topk/term-weights.ts'
import { rankingModel } from '../../../../core/segment/ranking-model.ts'
import { seed } from '../../../histories.ts'
import { type Fact, generator, randomFacts, segmentOf, urlOf } from '../../random-segments.ts'
import { indexViewAt } from '../index-view.ts'

const everything = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/** BM25F over plain words, plus for each phrase that a page contains a third of the weights of its words. */
function naive(facts: readonly Fact[], words: readonly string[], phrases: readonly string[][], instant: number) {
  const standing = facts.filter(fact => fact.acquiredAt <= instant && fact.supersededAt > instant)
  const length = (fact: Fact): number => fact.words.length + rankingModel.titleWeight * fact.title.length
  const average = standing.reduce((total, fact) => total + length(fact), 0) / standing.length
  const idf = (word: string): number => {
    const holding = standing.filter(fact => fact.words.includes(word) || fact.title.includes(word)).length
    return inverseDocumentFrequency(standing.length, holding)
  }
  const holds = (text: readonly string[], phrase: readonly string[]): boolean =>
    text.some((_, at) => phrase.every((word, i) => text[at + i] === word))
  const scores = new Map<string, number>()
  const idfs = new Map([...words, ...phrases.flat()].map(word => [word, idf(word)]))
  for (const fact of standing) {
    let score = 0
    for (const word of [...words, ...phrases.flat()]) {
      const frequency =
        fact.words.filter(w => w === word).length + rankingModel.titleWeight * fact.title.filter(w => w === word).length
      const norm = rankingModel.k1 * (1 - rankingModel.b + (rankingModel.b * length(fact)) / average)
      score += ((idfs.get(word) ?? 0) * frequency) / (frequency + norm)
    }
    for (const phrase of new Map(phrases.map(phrase => [phrase.join(' '), phrase])).values())
      if (holds(fact.words, phrase) || holds(fact.title, phrase))
        score += phrase.reduce((sum, word) => sum + (idfs.get(word) ?? 0), 0) / 3
    if (score > 0) scores.set(fact.url, score)
  }
  return scores
}

/** The query that is searched for if no page contains all quoted phrases. */
const asWords = (text: string) => analyzeAsWords(parsePlain(text).clauses, '')

describe(`phrases that are favored but not required (seed ${seed})`, () => {
  const next = generator(seed)
  const pick = (): string => `w${Math.floor(next() ** 3 * 300)}`

  it('score as a naive evaluation does, with an exact top k for any layout of segments', () => {
    const facts = randomFacts(9000, next)
    const parts = [0, 4500, 7000, 9000]
    const segments = parts.slice(1).map((end, i) => segmentOf(i + 1, facts.slice(parts[i], end), parts[i]!))
    const whole = [segmentOf(9, facts, 100_000)]
    let held = 0
    for (let round = 0; round < 8; round++) {
      const words = Array.from({ length: Math.floor(next() * 3) }, pick)
      const phrases = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
        Array.from({ length: 1 + Math.floor(next() * 3) }, pick),
      )
      const text = [...words, ...phrases.map(phrase => `"${phrase.join(' ')}"`)].join(' ')
      const query = asWords(text)
      const instant = round % 3 === 0 ? 1000 : Math.floor(20 + next() * 190)
      const index = indexViewAt(segments, instant, everything)
      const options = { published: undefined, sites: [], urlOf, buffers: new BlockBuffers() }
      const { hits: all, partsOf } = findHits(index, query, { ...options, limit: 9000 })
      const expected = naive(facts, words, phrases, instant)
      expect(all.length, text).toBe(expected.size)
      const wrong = all.flatMap(({ segment, ordinal, score }) => {
        const url = urlOf(segment.columns.captureIds[ordinal]!)
        const wanted = expected.get(url)
        return Math.abs(score - (wanted ?? Number.NaN)) < 0.000_05 ? [] : [{ url, score, wanted }]
      })
      expect(wrong, text).toEqual([])
      for (const hit of all.slice(0, 20)) {
        const scored = partsOf(hit)
        expect(scored.reduce((sum, { score }) => sum + score, 0)).toBe(hit.score)
        if (scored.some(part => 'term' in part && part.term.startsWith('"'))) held++
      }
      for (const limit of [1, 3, 10, 100])
        expect(findHits(index, query, { ...options, limit }).hits, text).toEqual(all.slice(0, limit))
      const inOne = findHits(indexViewAt(whole, instant, everything), query, { ...options, limit: 50 }).hits
      const place = ({ segment, ordinal, score }: (typeof all)[number]) => [
        urlOf(segment.columns.captureIds[ordinal]!),
        score,
      ]
      expect(inOne.map(place)).toEqual(all.slice(0, 50).map(place))
    }
    expect(held, 'pages with a phrase').toBeGreaterThan(20)
  }, 60_000)

  it('change no score if no page contains one', () => {
    const facts = randomFacts(2000, next)
    const segments = [segmentOf(1, facts, 0)]
    const index = indexViewAt(segments, 1000, everything)
    const options = { published: undefined, sites: [], urlOf, buffers: new BlockBuffers() }
    const found = (query: ReturnType<typeof analyzeQuery>) => findHits(index, query, { ...options, limit: 2000 }).hits
    // `nowhere` is in no page, so no page contains the phrase.
    for (let round = 0; round < 8; round++) {
      const words = [pick(), pick(), pick()]
      const quoted = `${words[0]} "${words[1]} nowhere ${words[2]}"`
      expect(found(asWords(quoted))).toEqual(found(analyzeQuery(quoted.replaceAll('"', ' '))))
    }
  })

  it('count once each, and only the first sixteen of a query', () => {
    const quoted = (count: number): string => Array.from({ length: count }, (_, i) => `"w${i} w${i + 1}"`).join(' ')
    expect(asWords(quoted(10)).favored).toHaveLength(10)
    expect(asWords(quoted(100)).favored).toHaveLength(16)
    expect(asWords('"w1 w2" w3 “w1 w2” "w4"').favored).toHaveLength(2)
    expect(analyzeQuery('"w1 w2"').favored).toBeUndefined()
  })
})
