import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../core/bytes/bit-packing.ts'
import type { TermEntry } from '../../../core/segment/dictionary/dictionary-format.ts'
import { IMPACT_STEPS, impactScale, SATURATION_BASE, saturationSlope } from '../../../core/segment/ranking-model.ts'
import { Segment } from '../../../core/segment/segment.ts'
import { LONG_LIST_BYTES, Stream } from '../../../core/segment/streams.ts'
import {
  byOrdinal,
  lengthOf,
  type NaiveCapture,
  naiveCaptures,
  naiveIndex,
  newCache,
  readBack,
  writeSegment,
} from './naive-index.ts'

const captures = naiveCaptures({ minLength: 1, maxLength: 200 })

/** Captures in which some words are everywhere and some rare, with long and short texts. */
function manyCaptures(count: number): NaiveCapture[] {
  return Array.from({ length: count }, (_, i) => {
    const terms = new Map<string, number[]>([['everywhere', Array.from({ length: (i % 7) + 1 }, (_, p) => p * 3)]])
    if (i % 3 === 0) terms.set('third', [5])
    if (i % 997 === 0) terms.set('rare', [1, 2])
    terms.set(
      'filler',
      Array.from({ length: (i * 31) % 90 }, (_, p) => 100 + p),
    )
    if (terms.get('filler')?.length === 0) terms.delete('filler')
    return {
      captureId: i * 2 + 1,
      url: `https://example.com/${i}`,
      acquiredAt: i * 10,
      publishedAt: Number.NaN,
      declared: i % 5 === 0,
      terms,
    }
  })
}

function isLong({ postingsBytes }: TermEntry): boolean {
  return postingsBytes >= LONG_LIST_BYTES
}

describe('a segment', () => {
  it('reads back as the inverted index of its captures', () => {
    fc.assert(
      fc.property(captures, list => {
        const { segment } = writeSegment(1, list)
        expect(readBack(segment)).toEqual(naiveIndex(list))
      }),
      { numRuns: 40 },
    )
  })

  it('names the captures that had ended by an instant, in the order of their ordinals', () => {
    const ends = Array.from({ length: 100 }, (_, i) => (i % 3 === 0 ? 1000 + i : Number.POSITIVE_INFINITY))
    const { segment } = writeSegment(1, manyCaptures(100), ends)
    const endedAt = (instant: number, ordinalEnd: number): number[] => {
      const found: number[] = []
      segment.eachEnded(instant, ordinalEnd, ordinal => found.push(ordinal))
      return found
    }
    expect(endedAt(1066, 80)).toEqual(Array.from({ length: 23 }, (_, i) => 3 * i))
    expect(endedAt(2000, 34)).toEqual(Array.from({ length: 12 }, (_, i) => 3 * i))
    expect(endedAt(999, 100)).toEqual([])
    segment.supersede(1, 500)
    expect(endedAt(999, 100)).toEqual([1])
  })

  it('reads back if its lists take many blocks and chunks', () => {
    const list = manyCaptures(3000)
    const { segment } = writeSegment(1, list)
    const expected = naiveIndex(list)
    const found = readBack(segment)
    expect([...found.keys()]).toEqual([...expected.keys()].sort())
    for (const [term, postings] of expected) expect(found.get(term), term).toEqual(postings)
  })

  it('reports its own numbers', () => {
    fc.assert(
      fc.property(captures, list => {
        const { segment, chunks } = writeSegment(7, list)
        expect(segment.info).toEqual({
          id: 7,
          captures: list.length,
          terms: naiveIndex(list).size,
          totalLength: list.reduce((total, capture) => total + lengthOf(capture), 0),
          minAcquiredAt: list[0]!.acquiredAt,
          maxAcquiredAt: list[list.length - 1]!.acquiredAt,
          bytes: [...chunks.chunks.values()].reduce((total, { length }) => total + length, 0),
        })
      }),
      { numRuns: 20 },
    )
  })

  it('finds the ordinals below any instant', () => {
    fc.assert(
      fc.property(captures, fc.integer({ min: -2, max: 8 }), (list, instant) => {
        const { segment } = writeSegment(1, list)
        expect(segment.ordinalEndAt(instant)).toBe(list.filter(({ acquiredAt }) => acquiredAt <= instant).length)
        expect(segment.firstFrom(instant)).toBe(list.filter(({ acquiredAt }) => acquiredAt < instant).length)
        expect(segment.ordinalEndAt(Number.POSITIVE_INFINITY)).toBe(list.length)
        expect(segment.firstFrom(Number.NEGATIVE_INFINITY)).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('finds captures among many of one instant', () => {
    const list = manyCaptures(300).map((capture, i) => ({
      ...capture,
      captureId: (i * 7919) % 10_007,
      url: `https://example.com/${(i * 31) % 300}`,
      acquiredAt: i < 250 ? 5 : 6,
    }))
    const { segment } = writeSegment(1, list.toSorted(byOrdinal))
    for (const [ordinal, captureId] of segment.columns.captureIds.entries()) {
      const at = segment.columns.acquiredAt[ordinal]!
      expect(segment.ordinalOf(captureId, at)).toBe(ordinal)
      expect(segment.ordinalOf(captureId, 11 - at)).toBe(-1)
    }
    for (const unknown of [10_006, 0xffff_ffff]) expect(segment.ordinalOf(unknown, 5)).toBe(-1)
  })

  it('counts its captures below any end, without tombstones', () => {
    const list = manyCaptures(BLOCK * 3)
    const { segment } = writeSegment(1, list)
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(list.length - 1)), fc.nat(list.length), (purged, end) => {
        segment.tombstones = Uint32Array.from(purged).sort()
        const counted = list.slice(0, end).filter((_, ordinal) => !purged.includes(ordinal))
        expect(segment.totals(end)).toEqual({
          captures: counted.length,
          declared: counted.filter(({ declared }) => declared).length,
        })
      }),
    )
  })

  it('keeps long posting lists in chunks of their own, where they read back', () => {
    const { segment, chunks } = writeSegment(1, manyCaptures(40_000))
    const long = ['everywhere', 'filler', 'third'].map(term => segment.term(term)!.entry).filter(isLong)
    expect(long.map(({ term }) => term)).toEqual(['everywhere', 'filler'])
    expect(chunks.chunks.has(`${Stream.longPostings}/0`)).toBe(true)
    for (const entry of long) {
      const { count, ordinals } = segment.postings(entry)
      const expected = Array.from({ length: 40_000 }, (_, i) => i).filter(
        i => entry.term === 'everywhere' || (i * 31) % 90 > 0,
      )
      expect([...ordinals.subarray(0, count)]).toEqual(expected)
    }
    chunks.chunks.delete(`${Stream.longPostings}/0`)
    expect(() => segment.list(long[0]!)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
  })

  it('finds the ordinal of a capture among those of the same millisecond', () => {
    fc.assert(
      fc.property(captures, list => {
        const { segment } = writeSegment(1, list)
        for (const [ordinal, { captureId, acquiredAt }] of list.entries())
          expect(segment.ordinalOf(captureId, acquiredAt)).toBe(ordinal)
        expect(segment.ordinalOf(9999, list[0]!.acquiredAt)).toBe(-1)
        expect(segment.ordinalOf(list[0]!.captureId, list.at(-1)!.acquiredAt + 1)).toBe(-1)
      }),
      { numRuns: 30 },
    )
  })

  it('caches a term that it does not hold, and opens a term only once', () => {
    const { segment } = writeSegment(1, manyCaptures(10))
    expect(segment.term('absent')).toBeUndefined()
    expect(segment.term('absent')).toBeUndefined()
    expect(segment.term('third')).toBe(segment.term('third'))
  })

  it('bounds every saturated frequency from above, whatever the average length of the whole index', () => {
    const list = manyCaptures(1000)
    const { segment } = writeSegment(1, list)
    for (const averageLength of [0.5, 3, segment.averageLength, 100, 10_000]) {
      const slope = saturationSlope(averageLength)
      const scale = impactScale(averageLength, segment.averageLength)
      for (const [term, postings] of naiveIndex(list)) {
        const posted = segment.term(term)?.list
        if (!posted) throw new TypeError(term)
        for (const { ordinal, frequency } of postings) {
          const saturated = frequency / (frequency + SATURATION_BASE + slope * lengthOf(list[ordinal]!))
          const bound = (posted.blockMaxImpact(posted.blockOf(ordinal)) / IMPACT_STEPS) * scale
          if (!(saturated <= bound)) expect({ term, ordinal, saturated, bound }).toBe('bounded')
        }
      }
    }
  })

  it('may consist of captures without any words', () => {
    const blank = { captureId: 1, url: 'https://a.example/', acquiredAt: 1, publishedAt: 1, declared: true }
    const { segment } = writeSegment(1, [{ ...blank, terms: new Map() }])
    expect(segment.term('a')).toBeUndefined()
    expect(segment.totals(1)).toEqual({ captures: 1, declared: 1 })
    expect(segment.standing(1)).toEqual({ captures: 1, length: 0 })
  })

  it('is corrupt when a chunk is missing', () => {
    const { segment, chunks } = writeSegment(1, manyCaptures(500))
    const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })
    chunks.chunks.delete(`${Stream.postings}/0`)
    expect(() => segment.term('everywhere')).toThrow(corrupt)
    chunks.chunks.delete(`${Stream.columns}/2`)
    expect(() => Segment.open(segment.info, chunks, newCache())).toThrow(corrupt)
  })
})
