import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { AsofError } from '../../../core/index.ts'
import { bestCaptures } from '../../../core/kernels/best-captures.ts'
import { scoreEveryMatch } from '../../../core/kernels/every-match.ts'
import { kernelLimits } from '../../../core/kernels/query-record.ts'
import type { Hit } from '../../../core/kernels/top-hits.ts'
import { TopKKernel } from '../../../core/kernels/topk-kernel.ts'
import type { OpenedQuery, TopKQuery, WeightedList } from '../../../core/kernels/topk-query.ts'
import { BlockBuffers } from '../../../core/postings/block-buffers.ts'
import { PostingCursors } from '../../../core/postings/posting-cursor.ts'
import { beginSearchTime, endSearchTime } from '../../../core/postings/search-time.ts'
import { openPhrase } from '../../../core/search/clauses/phrase-matcher.ts'
import { countUndated } from '../../../core/search/topk/count-undated.ts'
import { PostingCache } from '../../../core/segment/posting-cache.ts'
import { PostingList } from '../../../core/segment/postings/posting-list.ts'
import { encodePostings } from '../../../core/segment/postings/postings-codec.ts'
import { WINDOW } from '../../../core/segment/postings/window-impacts.ts'
import type { Segment } from '../../../core/segment/segment.ts'
import { SharedLists } from '../../../core/segment/shared-lists.ts'
import { seed } from '../../histories.ts'
import { generator, PUBLISHED_STEP_MS, randomFacts, segmentOf, urlOf } from '../random-segments.ts'
import { indexViewAt } from '../search/index-view.ts'
import { termPostings } from '../segment/naive-index.ts'

const captures = [300, 5000, 45_000]
const everything = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

const cache = new PostingCache(2 ** 26)
const segments = segmentsIn(cache)

/** The same segments in any cache. */
function segmentsIn(cache: PostingCache): Segment[] {
  const segments: Segment[] = []
  const next = generator(seed)
  let first = 0
  for (const [i, count] of captures.entries()) {
    // No two captures of an index have one URL and one instant, so that no tie is left undecided.
    const facts = randomFacts(count, next).map(fact => ({ ...fact, url: `${fact.url}/${i}` }))
    segments.push(segmentOf(i + 1, facts, first, cache))
    first += count
  }
  return segments
}

/** A query as plain data. */
interface Question {
  /** Number of segments that are searched, from the smallest on. */
  parts: number
  k: number
  instant: number
  acquired: { from: number; to: number }
  published: { from: number; to: number } | undefined
  words: { word: number; weight: number; required: boolean }[]
  phrase: [number, number] | undefined
  /** Which captures the condition admits: those whose mixed ordinal is divisible by it. */
  condition: { divisor: number; isExact: boolean; onlyScored: boolean } | undefined
  /** The most that a boost adds. */
  boost: number | undefined
  /** Which of the hits without a floor has the lowest score of a hit. Undefined: there is no floor. */
  floorAt?: number | undefined
}

/** @param least - the smallest size. Below 0, a range may end before it begins. */
const range = (most: number, { step = 1, least = 0 } = {}): fc.Arbitrary<{ from: number; to: number }> =>
  fc
    .record({ from: fc.integer({ min: 0, max: most }), size: fc.integer({ min: least, max: most }) })
    .map(({ from, size }) => ({ from: from * step, to: (from + size) * step }))

const word = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 399 }))
const question: fc.Arbitrary<Question> = fc.record({
  parts: fc.constantFrom(2, 2, 2, 2, segments.length),
  k: fc.constantFrom(1, 3, 10, 100, 1000),
  instant: fc.oneof(fc.constant(1000), fc.integer({ min: 0, max: 210 })),
  acquired: fc.oneof({ weight: 3, arbitrary: fc.constant(everything) }, { weight: 1, arbitrary: range(200) }),
  published: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: range(200, { step: PUBLISHED_STEP_MS, least: -100 }) },
  ),
  words: fc.uniqueArray(
    fc.record({
      word,
      weight: fc.integer({ min: 1, max: 10_000_000 }),
      required: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
    { maxLength: 64, selector: ({ word }) => word, size: 'medium' },
  ),
  phrase: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.tuple(word, word) as fc.Arbitrary<[number, number]> },
  ),
  condition: fc.option(
    fc.record({ divisor: fc.constantFrom(1, 2, 7, 60, 5000), isExact: fc.boolean(), onlyScored: fc.boolean() }),
    { nil: undefined },
  ),
  boost: fc.option(fc.constantFrom(1, 1000, 5_000_000), { nil: undefined }),
  floorAt: fc.option(fc.nat(20), { nil: undefined, freq: 3 }),
})

const oneWord: Question = {
  parts: segments.length,
  k: 100,
  instant: 1000,
  acquired: everything,
  published: undefined,
  words: [],
  phrase: undefined,
  condition: undefined,
  boost: undefined,
}

/** A number that looks random but is always the same for an ordinal. */
const mixed = (ordinal: number): number => (Math.imul(ordinal + 1, 0x9e37_79b1) >>> 8) & 0xffff

/** @param calledBack - called at each call of a condition or a boost. @param of - the segments that are asked. */
function ask(question: Question, calledBack: () => void = () => {}, of: readonly Segment[] = segments): TopKQuery {
  const { parts, k, instant, acquired, published, words, phrase, condition, boost } = question
  const { views, collection } = indexViewAt(of.slice(0, parts), instant, acquired)
  const { statistics } = collection
  const buffers = new BlockBuffers()
  const asked = views.flatMap((view): OpenedQuery[] => {
    const { segment } = view
    // As the first stage does: the kernel would write beyond its memory for the windows of an empty view.
    if (view.from >= view.to) return []
    const cursors = new PostingCursors(buffers)
    const lists = new Map<PostingList, WeightedList>()
    for (const { word, weight, required } of words) {
      const found = segment.term(`w${word}`)
      if (!found && required) return []
      if (found) lists.set(found.list, { list: found.list, weight, required })
    }
    const words2 = phrase?.map((word, offset) => ({ term: `w${word}`, offset }))
    const matcher = words2 && openPhrase(segment, words2, cursors)
    if (words2 && !matcher) return []
    for (const { list } of matcher?.cursors ?? [])
      lists.set(list, { list, weight: lists.get(list)?.weight ?? 0, required: true })
    const onlyScored = condition?.onlyScored ?? true
    const test = (ordinal: number): boolean =>
      (!condition || mixed(ordinal) % condition.divisor === 0) && (!matcher || matcher.startsIn(ordinal).count > 0)
    return [
      {
        ...view,
        lists: [...lists.values()],
        cursors,
        adjacentWords: () => matcher?.adjacentWords() ?? [],
        phrases: () => (matcher ? [matcher.words()] : []),
        isOnlyPhrases: !condition,
        published,
        onlyScored,
        condition:
          condition || matcher
            ? {
                size: condition ? segment.captures / condition.divisor : Number.POSITIVE_INFINITY,
                isExact: condition?.isExact === true && !matcher,
                fill: (base, out) => {
                  calledBack()
                  out.fill(0)
                  for (let at = 0; at < WINDOW; at++) {
                    const number = mixed(base + at)
                    if (number % (condition?.divisor ?? 1) === 0 || (condition?.isExact === false && number % 5 === 0))
                      out[at >>> 5]! |= 1 << (at & 31)
                  }
                },
                matches: ordinal => {
                  calledBack()
                  return test(ordinal)
                },
              }
            : undefined,
        boost:
          boost === undefined
            ? undefined
            : {
                most: window => {
                  calledBack()
                  return window % 2 === 0 ? boost : 0
                },
                of: ordinal => {
                  calledBack()
                  return Math.floor(ordinal / WINDOW) % 2 === 0 ? mixed(ordinal) % (boost + 1) : 0
                },
              },
      },
    ]
  })
  return { k, views: asked, averageLength: statistics.averageLength, urlOf }
}

const plain = (hits: readonly Hit[] | undefined): string[] | undefined =>
  hits?.map(({ segment, ordinal, score }) => `${segment.info.id}/${ordinal}: ${score}`)

function openKernel(): TopKKernel {
  for (const segment of segments) segment.term('w1')
  const kernel = TopKKernel.over(cache.arena!)
  if (!kernel) throw new Error('WebAssembly has no SIMD here')
  return kernel
}

describe(`the kernel of the top k (seed ${seed})`, () => {
  const kernel = openKernel()

  it('finds what scoring every capture finds, with the same scores in the same order', () => {
    fc.assert(
      fc.property(question, question => {
        const whole = ask(question)
        const { floorAt } = question
        const floor = floorAt === undefined ? undefined : scoreEveryMatch(whole)[floorAt]?.score
        const query = { ...whole, floor }
        const expected = plain(scoreEveryMatch(query))
        expect(plain(kernel.search(query))).toEqual(expected)
        expect(plain(TopKKernel.forOne(query)!.search(query)), 'with a memory of its own').toEqual(expected)
        cache.reclaim()
      }),
      { numRuns: 250 },
    )
  }, 120_000)

  it.each([0, 20_000])(
    'finds the same with a cache of %i bytes, in which little has room',
    bytes => {
      const small = new PostingCache(bytes)
      const of = segmentsIn(small)
      fc.assert(
        fc.property(question, question => {
          const query = ask(question, undefined, of)
          expect(plain(bestCaptures(query))).toEqual(plain(scoreEveryMatch(query)))
          small.reclaim()
        }),
        { numRuns: 60 },
      )
    },
    60_000,
  )

  it.each([2 ** 25, 100_000])(
    'finds the same in a memory that threads share, with %i bytes for lists',
    listBytes => {
      const memory = SharedLists.memory(2, { listBytes, ownBytes: 2 ** 21 })!
      const threads = [0, 1].map(thread => {
        const own = new PostingCache(2 ** 21, new SharedLists(memory, thread))
        return { own, of: segmentsIn(own) }
      })
      fc.assert(
        fc.property(question, fc.nat(1), fc.nat(20), (question, thread, calls) => {
          const { own, of } = threads[thread]!
          own.reading(() => {
            const query = ask(question, undefined, of)
            const expected = plain(scoreEveryMatch(query))
            const kernel = TopKKernel.over(own.arena!)!
            expect(kernel.arena.base).toBe(thread * memory.ownBytes)
            // A search that fails halfway must leave nothing behind, and nothing of the other thread may be cleared.
            let called = 0
            const failing = ask(question, () => expect(++called).toBeLessThan(calls), of)
            try {
              kernel.search(failing)
            } catch {}
            const found = plain(kernel.search(query))
            if (listBytes === 2 ** 25) expect(found).toBeDefined()
            if (found) expect(found).toEqual(expected)
          })
        }),
        { numRuns: 200 },
      )
    },
    120_000,
  )

  it('answers with a memory of its own that is larger than the one that is kept', () => {
    const query = ask({ ...oneWord, words: [{ word: 1, weight: 1000, required: false }] })
    const views = Array.from({ length: 80 }, () => query.views).flat()
    const large = { ...query, views }
    const one = TopKKernel.forOne(query)!
    const other = TopKKernel.forOne(large)!
    expect(other.arena.bytes).toBeGreaterThan(one.arena.bytes)
    expect(plain(other.search(large))).toEqual(plain(scoreEveryMatch(large)))
    expect(TopKKernel.forOne(query)).toBe(one)
  })

  it('leaves a query for more hits than it has room for to the evaluator that scores every match', () => {
    const query = ask({ ...oneWord, k: kernelLimits.MAX_K + 1, words: [{ word: 0, weight: 1000, required: false }] })
    expect(kernel.search(query)).toBeUndefined()
    expect(TopKKernel.forOne(query)).toBeUndefined()
    expect(bestCaptures(query).length).toBeGreaterThan(kernelLimits.MAX_K)
    expect(plain(bestCaptures({ ...query, k: 10 }))).toEqual(plain(bestCaptures(query).slice(0, 10)))
  })

  it('fails as a call-back fails, and then answers as before', () => {
    fc.assert(
      fc.property(question, fc.integer({ min: 1, max: 200 }), (question, last) => {
        let calls = 0
        const failing = ask(question, () => {
          if (++calls === last) throw new AsofError('ASOF_SEARCH_TIMEOUT', 'too long')
        })
        let code: unknown
        try {
          kernel.search(failing)
        } catch (error) {
          code = (error as AsofError).code
        }
        expect(code).toBe(calls >= last ? 'ASOF_SEARCH_TIMEOUT' : undefined)
        const query = ask(question)
        expect(plain(kernel.search(query))).toEqual(plain(scoreEveryMatch(query)))
        cache.reclaim()
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it('tests hardly more captures than it returns if all have the same score', () => {
    const condition = { divisor: 1, isExact: true, onlyScored: false }
    const required = { word: 1, weight: 0, required: true }
    for (const words of [[], [required]]) {
      let calls = 0
      const query = ask({ ...oneWord, k: 10, words, condition }, () => calls++)
      const found = kernel.search(query)
      const called = calls
      expect(plain(found)).toEqual(plain(scoreEveryMatch(query)))
      const windows = segments.reduce((sum, segment) => sum + Math.ceil(segment.captures / WINDOW), 0)
      expect(called).toBeLessThan(20 * windows)
    }
  })

  it('count the same matches without a publish date', () => {
    const published = { from: 0, to: 100 * PUBLISHED_STEP_MS }
    const words = fc.uniqueArray(word, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 0, max: 210 }),
        fc.constantFrom(1, 30, 1000, 10_000),
        (words, instant, limit) => {
          const weighted = words.map(word => ({ word, weight: 1000, required: false }))
          const query = ask({ ...oneWord, k: 0, instant, published, words: weighted })
          let expected = 0
          for (const view of query.views) if (expected < limit) expected += countUndated(view, limit - expected)
          expect(kernel.countUndated(query, limit)).toBe(expected)
        },
      ),
    )
    const conditional = ask({ ...oneWord, published, condition: { divisor: 2, isExact: true, onlyScored: true } })
    expect(kernel.countUndated(conditional, 1000)).toBeUndefined()
  })

  it('leaves out a capture that was superseded after another search', () => {
    const query = ask({ ...oneWord, k: 1, words: [{ word: 1, weight: 1000, required: false }] })
    const [best] = kernel.search(query)!
    const { segment, ordinal } = best!
    segment.supersede(ordinal, segment.columns.acquiredAt[ordinal]!)
    expect(plain(kernel.search(query))).not.toEqual(plain([best!]))
    expect(plain(kernel.search(query))).toEqual(plain(scoreEveryMatch(query)))
  })

  it('ends a search without lists that has used up its processor time', () => {
    const query = ask({ ...oneWord, condition: { divisor: 1, isExact: true, onlyScored: false } })
    beginSearchTime(0)
    try {
      expect(() => kernel.search(query)).toThrow(expect.objectContaining({ code: 'ASOF_SEARCH_TIMEOUT' }))
    } finally {
      endSearchTime()
    }
  })

  it('ends a search that has used up its processor time', () => {
    const words = Array.from({ length: 64 }, (_, word) => ({ word, weight: 1000 + word, required: false }))
    const query = ask({ ...oneWord, k: 1000, words })
    beginSearchTime(0)
    try {
      expect(() => kernel.search(query)).toThrow(expect.objectContaining({ code: 'ASOF_SEARCH_TIMEOUT' }))
    } finally {
      endSearchTime()
    }
    expect(plain(kernel.search(query))).toEqual(plain(scoreEveryMatch(query)))
  })

  it('refuses a damaged list or finds captures of its segment, and answers the next query as before', () => {
    const segment = segments.find(({ captures }) => captures > WINDOW)!
    const [view] = indexViewAt([segment], 1000, everything).views
    const postings = Array.from({ length: 3000 }, (_, i) => ({
      ordinal: (1 + (i * segment.captures) / 3000) | 0,
      frequency: 1 + (i % 5),
      positions: [],
    }))
    const writer = new ByteWriter()
    encodePostings(termPostings(postings), () => 0.5, writer)
    const intact = writer.finish()
    const other = ask({ ...oneWord, words: [{ word: 1, weight: 1000, required: false }] })
    const expected = plain(scoreEveryMatch(other))
    let refused = 0
    const runs = 300
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, difference, required) => {
        const bytes = intact.slice()
        bytes[at % bytes.length]! ^= difference
        try {
          const list = PostingList.decode(bytes, postings.length, segment.captures, () => 0.5)
          const lists = [{ list, weight: 1000, required }]
          const hits = kernel.search({ ...other, views: [{ ...other.views[0]!, ...view!, lists }] })!
          for (const { ordinal } of hits) expect(ordinal).toBeLessThan(segment.captures)
        } catch (error) {
          expect(error).toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
          refused++
        }
        cache.reclaim()
        expect(plain(kernel.search(other))).toEqual(expected)
      }),
      { numRuns: runs },
    )
    expect(refused).toBeGreaterThan(runs / 20)
  })
})
