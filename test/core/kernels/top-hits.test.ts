import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hit, TopHits } from '../../../core/kernels/top-hits.ts'
import { byOrdinal, type NaiveCapture, writeSegment } from '../segment/naive-index.ts'

/** Captures distributed over segments, with so few different times and scores that there are many ties. */
const cases = fc.record({
  captures: fc.array(
    fc.record({
      acquiredAt: fc.integer({ min: 0, max: 3 }),
      score: fc.integer({ min: 1, max: 3 }),
      segment: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 60 },
  ),
  limit: fc.integer({ min: 1, max: 20 }),
})

function hitsOf(list: readonly { acquiredAt: number; score: number; segment: number }[]) {
  const parts: { capture: NaiveCapture; score: number }[][] = [[], [], []]
  for (const [i, { acquiredAt, score, segment }] of list.entries()) {
    const url = `https://example.com/${String((i * 37) % 101).padStart(3, '0')}`
    const capture = { captureId: i, url, acquiredAt, publishedAt: Number.NaN, declared: false, terms: new Map() }
    parts[segment]!.push({ capture, score })
  }
  return parts
    .filter(part => part.length > 0)
    .flatMap((part, s) => {
      const ordered = part.sort((a, b) => byOrdinal(a.capture, b.capture))
      const { segment } = writeSegment(
        s,
        ordered.map(({ capture }) => capture),
      )
      return ordered.map(({ capture, score }, ordinal) => ({ hit: { segment, ordinal, score } as Hit, capture }))
    })
}

type Known = ReturnType<typeof hitsOf>[number]

/** The total order: score, then newer, then URL. */
function compare(a: Known, b: Known): number {
  return (
    b.hit.score - a.hit.score ||
    b.capture.acquiredAt - a.capture.acquiredAt ||
    (a.capture.url < b.capture.url ? -1 : a.capture.url > b.capture.url ? 1 : 0)
  )
}

const shuffled = <T>(list: readonly T[], seed: number): T[] =>
  list
    .map((item, i) => ({ item, key: Math.imul(i + 1, seed * 2 + 1) >>> 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)

describe('the top hits', () => {
  it('equal the first hits of a full sort, in whatever order hits are entered', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ captures, limit }, seed) => {
        const known = hitsOf(captures)
        const urls = new Map(known.map(({ capture }) => [capture.captureId, capture.url]))
        const top = new TopHits(limit, captureId => urls.get(captureId) ?? '')
        for (const { hit } of shuffled(known, seed))
          if (top.isCompetitive(hit.segment, hit.ordinal, hit.score)) top.push(hit)
        expect(top.ranked()).toEqual(
          known
            .toSorted(compare)
            .slice(0, limit)
            .map(({ hit }) => hit),
        )
      }),
    )
  })

  it('read a URL only to break a tie between segments', () => {
    const known = hitsOf([
      { acquiredAt: 1, score: 3, segment: 0 },
      { acquiredAt: 1, score: 3, segment: 0 },
      { acquiredAt: 2, score: 3, segment: 1 },
      { acquiredAt: 1, score: 2, segment: 2 },
    ])
    const top = new TopHits(2, () => {
      throw new TypeError('no URL is needed')
    })
    for (const { hit } of known) if (top.isCompetitive(hit.segment, hit.ordinal, hit.score)) top.push(hit)
    expect(top.ranked().length).toBe(2)
  })
})
