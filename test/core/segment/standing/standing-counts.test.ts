import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PostingCache } from '../../../../core/segment/posting-cache.ts'
import type { Segment } from '../../../../core/segment/segment.ts'
import { generator, randomFacts, segmentOf } from '../../random-segments.ts'

const DELETED = Number.NEGATIVE_INFINITY
const MANY = 600

/** A segment of which some captures had ended when it was written, often at the instant at which others were acquired. */
function writtenSegment(next: () => number, cacheBytes: number): Segment {
  const facts = randomFacts(MANY, next).map(fact => ({
    ...fact,
    supersededAt: next() < 0.5 ? Number.POSITIVE_INFINITY : fact.acquiredAt + 1 + Math.floor(next() ** 2 * 100),
  }))
  return segmentOf(1, facts, 1, new PostingCache(cacheBytes))
}

/** For each term the ordinals of the captures that hold it. */
function postingsOf(segment: Segment): Map<string, number[]> {
  const postings = new Map<string, number[]>()
  for (const entry of segment.dictionary.entries()) {
    const { count, ordinals } = segment.postings(entry)
    postings.set(entry.term, [...ordinals.subarray(0, count)])
  }
  return postings
}

/** Compares all counts at an instant with counting one by one, for some of the terms. */
function expectCounts(segment: Segment, postings: ReadonlyMap<string, number[]>, instant: number, next: () => number) {
  const { acquiredAt, supersededAt, lengths } = segment.columns
  const stands = (ordinal: number) => acquiredAt[ordinal]! <= instant && supersededAt[ordinal]! > instant
  const standing = Array.from(acquiredAt.keys()).filter(stands)
  expect(segment.standing(instant)).toEqual({
    captures: standing.length,
    length: standing.reduce((sum, ordinal) => sum + lengths[ordinal]!, 0),
  })
  const ordinalEnd = segment.ordinalEndAt(instant)
  const some = [...postings].filter(() => next() < 0.3)
  const counts = some.map(([term, ordinals]) => {
    const found = segment.term(term)!
    const bits = new Uint32Array(Math.ceil(segment.captures / 32))
    for (const ordinal of ordinals) bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
    const opened = segment.frequency(found, instant, ordinalEnd)
    return {
      term,
      opened,
      entry: segment.frequencyOf(found.entry, instant, ordinalEnd),
      bits: segment.standingIn(bits, instant),
    }
  })
  const expected = some.map(([term, ordinals]) => {
    const count = ordinals.filter(stands).length
    return { term, opened: count, entry: count, bits: count }
  })
  expect({ instant, counts }).toEqual({ instant, counts: expected })
}

/** Changes the end of a capture: it ends, ends at another instant, stands again, or is deleted. */
function change(segment: Segment, next: () => number, latest: number): void {
  const ordinal = Math.floor(next() * segment.captures)
  const { acquiredAt, supersededAt } = segment.columns
  if (supersededAt[ordinal] === DELETED) return
  const kind = next()
  // Most changes come in the order of their instants.
  if (kind < 0.6) segment.supersede(ordinal, Math.max(latest, acquiredAt[ordinal]! + 1))
  else if (kind < 0.75) segment.supersede(ordinal, acquiredAt[ordinal]! + 1 + Math.floor(next() * 200))
  else if (kind < 0.85) segment.supersede(ordinal, Number.POSITIVE_INFINITY)
  else segment.supersede(ordinal, DELETED)
}

describe('the counts of what stood', () => {
  it.each([
    ['whose arrays are kept', 2 ** 24],
    ['without a cache', 0],
  ])(
    'equal counting one by one at every instant, whatever has ended since the segment was written, with terms %s',
    (_, cacheBytes) => {
      fc.assert(
        fc.property(fc.integer(), seed => {
          const next = generator(seed)
          const segment = writtenSegment(next, cacheBytes)
          const postings = postingsOf(segment)
          let latest = 300
          for (let state = 0; state < 6; state++) {
            const instants = Array.from({ length: 4 }, () => Math.floor(next() * (latest + 2)))
            for (const instant of [...instants, Number.MAX_SAFE_INTEGER, latest])
              expectCounts(segment, postings, instant, next)
            const changes = state === 4 ? 200 : 12
            for (let i = 0; i < changes; i++) change(segment, next, next() < 0.7 ? latest : ++latest)
          }
        }),
        { numRuns: 10 },
      )
    },
  )

  it('are those of the dictionary if nothing has ended', () => {
    const next = generator(7)
    const facts = randomFacts(MANY, next).map(fact => ({ ...fact, supersededAt: Number.POSITIVE_INFINITY }))
    const segment = segmentOf(1, facts, 1)
    const postings = postingsOf(segment)
    expect(segment.hasEnded).toBe(false)
    for (const instant of [-1, 0, 57, 199, 200]) expectCounts(segment, postings, instant, next)
  })
})
