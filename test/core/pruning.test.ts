import { LRUCache } from 'lru-cache'
import { describe, expect, it } from 'vitest'
import { AsofError } from '../../core/index.ts'
import { GroupBuilder } from '../../core/ingest/analyzed-group.ts'
import { buildBatch } from '../../core/ingest/build-batch.ts'
import { findHits } from '../../core/search/find-hits.ts'
import { parseQuery } from '../../core/search/parse-query.ts'
import { inverseDocumentFrequency } from '../../core/search/term-weights.ts'
import { createColumns } from '../../core/segment/columns.ts'
import { rankingModel } from '../../core/segment/ranking-model.ts'
import { type PostingCache, Segment } from '../../core/segment/segment.ts'

const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)

function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

interface Fact {
  url: string
  words: string[]
  title: string[]
  acquiredAt: number
  publishedAt: number
  supersededAt: number
}

/** Skewed words, so that lists of every density come up; few distinct lengths and times, so that ties do. */
function randomFacts(count: number, next: () => number): Fact[] {
  const word = (): string => `w${Math.floor(next() ** 4 * 400)}`
  const words = (most: number): string[] => Array.from({ length: 1 + Math.floor(next() * most) }, word)
  return Array.from({ length: count }, (_, i) => ({
    url: `https://h${Math.floor(next() * 20)}.example.com/${i}`,
    words: words(12),
    title: words(2),
    acquiredAt: Math.floor(next() * 200),
    publishedAt: next() < 0.3 ? Number.NaN : Math.floor(next() * 200),
    supersededAt: next() < 0.2 ? 100 + Math.floor(next() * 200) : Number.POSITIVE_INFINITY,
  }))
}

function segmentOf(id: number, facts: readonly Fact[], firstCapture: number): Segment {
  const sorted = [...facts].sort((a, b) => a.acquiredAt - b.acquiredAt || (a.url > b.url ? -1 : 1))
  const builder = new GroupBuilder()
  for (const { url, title, words } of sorted)
    builder.add(
      { url, aliases: [], title: title.join(' '), fingerprint: '' },
      { details: {}, markdown: '', text: words.join(' ') },
    )
  const group = builder.finish()
  const columns = createColumns(sorted.length)
  sorted.forEach(({ acquiredAt, publishedAt, supersededAt }, i) => {
    columns.acquiredAt[i] = acquiredAt
    columns.publishedAt[i] = publishedAt
    columns.supersededAt[i] = supersededAt
    columns.lengths[i] = group.captures[i].length
    columns.captureIds[i] = firstCapture + i
    urls.set(firstCapture + i, sorted[i].url)
  })
  const everyone = Uint32Array.from(sorted, (_, i) => i)
  const { info, chunks: built } = buildBatch({
    segment: id,
    columns,
    groups: [group.postings],
    groupOf: new Uint32Array(sorted.length),
    indexOf: everyone,
  })
  const chunks = new Map(built.map(({ stream, chunk, bytes }) => [`${stream}/${chunk}`, bytes]))
  const cache: PostingCache = new LRUCache({ max: 1000 })
  const source = {
    get: (stream: number, chunk: number) => {
      const bytes = chunks.get(`${stream}/${chunk}`)
      if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', 'missing')
      return bytes
    },
  }
  const segment = Segment.open(info, source, cache)
  segment.columns.supersededAt.set(columns.supersededAt)
  return segment
}

const urls = new Map<number, string>()

/** BM25F in plain floating point over plain words, with none of the engine's parts. */
function naive(facts: readonly Fact[], words: readonly string[], instant: number): Map<string, number> {
  const seen = facts.filter(fact => fact.acquiredAt <= instant)
  const length = (fact: Fact): number => fact.words.length + rankingModel.titleWeight * fact.title.length
  const average = seen.reduce((total, fact) => total + length(fact), 0) / seen.length
  const scores = new Map<string, number>()
  for (const fact of seen) {
    if (fact.supersededAt <= instant) continue
    let score = 0
    for (const word of words) {
      const frequency =
        fact.words.filter(w => w === word).length + rankingModel.titleWeight * fact.title.filter(w => w === word).length
      if (frequency === 0) continue
      const holding = seen.filter(other => other.words.includes(word) || other.title.includes(word)).length
      const norm = rankingModel.k1 * (1 - rankingModel.b + (rankingModel.b * length(fact)) / average)
      score += (inverseDocumentFrequency(seen.length, holding) * frequency) / (frequency + norm)
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
      const segments = parts.slice(1).map((end, i) => segmentOf(i + 1, facts.slice(parts[i], end), parts[i]))
      const urlOf = (captureId: number): string => urls.get(captureId) as string
      for (let round = 0; round < 60; round++) {
        const words = Array.from({ length: 1 + Math.floor(next() * 5) }, pick)
        const extra = ['', ` -${pick()}`, ` site:h${round % 20}.example.com`, ` "${pick()} ${pick()}"`][round % 4]
        const query = parseQuery(words.join(' ') + extra)
        const instant = round % 3 === 0 ? 1000 : Math.floor(next() * 210)
        const window = (): { from: number; to: number } => {
          const from = Math.floor(next() * 150)
          return { from, to: from + Math.floor(next() * 100) }
        }
        const times = {
          acquired: round % 5 === 0 ? window() : everything,
          published: round % 7 === 0 ? window() : undefined,
        }
        const all = findHits(segments, query, { times, instant, sites: [], limit: count, urlOf }).hits
        for (const limit of [1, 3, 10, 100]) {
          const top = findHits(segments, query, { times, instant, sites: [], limit, urlOf }).hits
          expect(top, `query ${words.join(' ')}${extra} at ${instant}`).toEqual(all.slice(0, limit))
        }
        if (round < 16 && extra === '' && times.acquired === everything && !times.published) {
          const expected = naive(facts, words, instant)
          expect(new Map(all.map(hit => [urlOf(hit.segment.columns.captureIds[hit.ordinal]), true])).size).toBe(
            expected.size,
          )
          for (const { segment, ordinal, score } of all)
            expect(score).toBeCloseTo(expected.get(urlOf(segment.columns.captureIds[ordinal])) ?? Number.NaN, 5)
        }
        for (let i = 1; i < all.length; i++) expect(all[i].score).toBeLessThanOrEqual(all[i - 1].score)
      }
    },
    60_000,
  )
})
