import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { analyzeWebql } from '../../../../core/search/analysis/analyze-webql.ts'
import { findHits } from '../../../../core/search/find-hits.ts'
import { parseWebql } from '../../../../core/search/webql/parser.ts'
import { seed } from '../../../histories.ts'
import { type Fact, generator, PUBLISHED_STEP_MS, randomFacts, segmentOf, urlOf } from '../../random-segments.ts'
import { indexViewAt } from '../index-view.ts'
import { holds, type NaivePage } from './naive-evaluator.ts'
import { trees, written } from './webql-text.ts'

function naive({ url, title, words, acquiredAt, publishedAt }: Fact): NaivePage {
  return {
    url,
    title: title.join(' '),
    text: words.join(' '),
    author: '',
    lang: '',
    kind: 'other',
    acquiredAt,
    publishedAt,
  }
}

const iso = (at: number): string => new Date(at).toISOString()
const everything = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

describe(`the full query language over many windows (seed ${seed})`, () => {
  it('finds exactly the captures of a naive evaluation, and the exact top k of them', () => {
    const next = generator(seed)
    const facts = randomFacts(13_000, next)
    const parts = [0, 9000, 12_500, 13_000]
    const segments = parts.slice(1).map((end, i) => segmentOf(i + 1, facts.slice(parts[i], end), parts[i]!))
    const pages = new Map(facts.map(fact => [fact.url, naive(fact)]))
    const words = Array.from({ length: 12 }, () => `w${Math.floor(next() ** 3 * 400)}`)
    const vocabulary = {
      words: [...words, 'w0', 'w1', 'absent'],
      urlWords: ['h1', 'h2', 'example'],
      authorWords: ['nobody'],
      sites: ['h13.example.com', 'com'],
      languages: ['en'],
      kinds: ['other', 'docs'],
      times: ['*', iso(20), iso(100), iso(180)],
    }
    const queries = fc
      .sample(trees(vocabulary), { numRuns: 12, seed })
      .filter(node => (written(node).match(/[*~]/g) ?? []).length <= 8)
    queries.forEach((node, round) => {
      const text = written(node)
      const instant = round % 3 === 0 ? 1000 : Math.floor(next() * 210)
      const times = {
        acquired: round % 4 === 0 ? { from: 30, to: 170 } : everything,
        published: round % 5 === 0 ? { from: 10 * PUBLISHED_STEP_MS, to: 150 * PUBLISHED_STEP_MS } : undefined,
      }
      const index = indexViewAt(segments, instant, times.acquired)
      const query = analyzeWebql(parseWebql(text), { requestedAt: 1000 })
      const buffers = new BlockBuffers()
      const find = (limit: number) =>
        findHits(index, query, { published: times.published, sites: [], limit, urlOf, buffers }).hits
      const isCandidate = ({ acquiredAt, supersededAt, publishedAt }: Fact): boolean =>
        acquiredAt <= instant &&
        supersededAt > instant &&
        acquiredAt >= times.acquired.from &&
        acquiredAt <= times.acquired.to &&
        (!times.published || (publishedAt >= times.published.from && publishedAt <= times.published.to))
      const all = find(facts.length)
      const expected = facts.filter(fact => isCandidate(fact) && holds(pages.get(fact.url) as NaivePage, node))
      const found = all.map(({ segment, ordinal }) => urlOf(segment.columns.captureIds[ordinal]!))
      expect(found.sort(), text).toEqual(expected.map(({ url }) => url).sort())
      for (const limit of [1, 10, 100]) expect(find(limit), `${text} at ${instant}`).toEqual(all.slice(0, limit))
      expect(all.findIndex(({ score }, i) => i > 0 && !(score <= all[i - 1]!.score))).toBe(-1)
    })
  })
})
