import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { viewsAt } from '../../../../core/postings/segment-view.ts'
import { nearestHits } from '../../../../core/search/rerank/nearest-vectors.ts'
import { SegmentsCollection } from '../../../../core/search/segments-collection.ts'
import type { Segment } from '../../../../core/segment/segment.ts'
import { inverseLength } from '../../../../core/vectors/quantized.ts'
import { VectorReader } from '../../../../core/vectors/vector-reader.ts'
import { tableMemory, VectorTable } from '../../../../core/vectors/vector-table.ts'
import { writeSegment } from '../../segment/naive-index.ts'

const DIMENSIONS = 264
const CAPTURES = 150_000
/** The captures of each segment. */
const SIZES = [70_000, 50_000, 30_000] as const

const GROUPS = 40

let state = 1
/** Returns a whole number below another. */
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

/**
 * Makes a vector whose components are smaller from one to the next, as those of rotated vectors are.
 *
 * @param fall - how fast.
 * @param near - a vector that it is similar to.
 */
function vectorOf(fall: number, near?: Int8Array): Int8Array {
  const vector = Int8Array.from({ length: DIMENSIONS }, (_, j) => {
    const value = (random(255) - 127) * Math.exp((-j * fall) / DIMENSIONS)
    return Math.round(near ? 0.7 * near[j]! + 0.3 * value : value)
  })
  vector[0] ||= 1
  return vector
}

/**
 * Three segments, whose captures got their vectors in another order. Some captures have the same vector, a third is in groups with similar
 * vectors, and some have none.
 */
function filled(fall: number): { table: VectorTable; segments: Segment[]; vectors: Int8Array[] } {
  state = 1
  const table = new VectorTable(tableMemory(CAPTURES * DIMENSIONS))
  const vectors: Int8Array[] = []
  for (let id = 1; id <= CAPTURES; id++) {
    const kind = id <= GROUPS ? 0 : random(9)
    const near = kind < 3 ? vectors[random(GROUPS)] : undefined
    const vector = kind === 8 ? vectors[random(vectors.length)]! : vectorOf(fall, near)
    vectors.push(vector)
    if (id % 499 !== 0) table.set(id, vector)
  }
  for (let id = 500; id < CAPTURES; id += 1501) table.delete(id)
  let first = 0
  const segments = SIZES.map((size, s) => {
    const ids = Array.from({ length: size }, (_, i) => first + i + 1)
    first += size
    // The captures of the second segment are in groups of another order.
    if (s === 1) ids.sort((a, b) => (a % 1000) - (b % 1000) || a - b)
    const captures = ids.map((captureId, i) => ({
      captureId,
      url: `https://example.com/${captureId}`,
      acquiredAt: s * 1000 + Math.floor(i / 100),
      publishedAt: Number.NaN,
      declared: false,
      terms: new Map(i === 0 ? [['word', [1]]] : []),
    }))
    const ends = ids.map(id => (id % 20 === 0 ? s * 1000 + 500 + (id % 4000) : Number.POSITIVE_INFINITY))
    return writeSegment(s + 1, captures, ends).segment
  })
  return { table, segments, vectors }
}

const questions = fc.record({
  near: fc.oneof(fc.nat(CAPTURES - 1), fc.nat(GROUPS - 1)),
  noise: fc.constantFrom(0, 5, 40, 255),
  instant: fc.oneof(fc.constant(10_000), fc.integer({ min: 2200, max: 6000 })),
  from: fc.constantFrom(Number.NEGATIVE_INFINITY, 900, 1200),
  every: fc.constantFrom(1, 1, 2, 7, 5000),
  most: fc.constantFrom(1, 10, 50),
  minDeviations: fc.constantFrom(0, 1.5, 4),
})
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never

describe.each([
  { vectors: 'whose first components are large', fall: 3, mayPrune: true },
  { vectors: 'whose components are alike, which bounds exclude seldom', fall: 0, mayPrune: false },
])('the nearest captures by vectors $vectors', ({ fall, mayPrune }) => {
  let { table, segments, vectors }: Partial<ReturnType<typeof filled>> = {}
  beforeAll(() => ({ table, segments, vectors } = filled(fall)), 120_000)

  /** Asks with bounds if `isBounded`, else by comparing all. Also returns whether bounds answered. */
  function ask({ near, noise, instant, from, every, most, minDeviations }: Question, isBounded: boolean) {
    state = near
    const vector = vectors![near]!.map(value => Math.max(-127, Math.min(127, value + random(noise + 1) - (noise >> 1))))
    vector[0] ||= 1
    const meaning = { vector, inverse: inverseLength(vector), model: 'model', modelId: 1, late: 0 }
    const reader = new VectorReader(meaning, table!, { get: () => undefined })
    let isByBounds = false
    const found = nearestHits(
      {
        instant,
        views: viewsAt(segments!, instant, { from, to: Number.POSITIVE_INFINITY }),
        collection: new SegmentsCollection(segments!, instant),
      },
      {
        meaning: {
          capacity: reader.capacity,
          cosine: id => reader.cosine(id),
          comparison: places => reader.comparison(places),
          nearest: (captures, search) => {
            const all = isBounded ? reader.nearest(captures, search) : undefined
            isByBounds = all !== undefined
            return all
          },
        },
        condition: { kind: 'all', parts: [] },
        filter:
          ({ segment }) =>
          ordinal =>
            segment.columns.captureIds[ordinal]! % every === 0,
        most,
        minDeviations,
        urlOf: id => `https://example.com/${id}`,
      },
    )
    const hits = found.hits.map(({ segment, ordinal, score }) => [segment.columns.captureIds[ordinal]!, score])
    return { hits, compared: found.compared, isByBounds }
  }

  it('are the same by bounds as by comparing all, as of any instant and with any filter', () => {
    let byBounds = 0
    let hits = 0
    fc.assert(
      fc.property(questions, question => {
        const { isByBounds, ...found } = ask(question, true)
        const { isByBounds: _, ...expected } = ask(question, false)
        expect(found).toEqual(expected)
        if (isByBounds) byBounds++
        hits += found.hits.length
      }),
      { numRuns: 40, seed: 1 },
    )
    expect(hits).toBeGreaterThan(0)
    if (mayPrune) expect(byBounds).toBeGreaterThan(10)
  }, 240_000)

  it('follow captures that end, get a vector or lose it', () => {
    const question: Question = {
      near: 1234,
      noise: 5,
      instant: 10_000,
      from: Number.NEGATIVE_INFINITY,
      every: 1,
      most: 10,
      minDeviations: 1.5,
    }
    const before = ask(question, true)
    const [[first = 0] = [], [second = 0] = []] = before.hits
    const segment = segments!.find(({ columns }) => columns.captureIds.includes(first))!
    segment.supersede(segment.columns.captureIds.indexOf(first), 5000)
    table!.delete(second)
    table!.set(499, vectors![1234]!)
    const after = ask(question, true)
    const { isByBounds: _, ...expected } = ask(question, false)
    expect(after).toMatchObject(expected)
    const ids = after.hits.map(([id]) => id)
    expect(ids).toContain(499)
    expect(ids).not.toContain(first)
    expect(ids).not.toContain(second)
  })
})
