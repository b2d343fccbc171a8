import { describe, expect, it } from 'vitest'
import { CapturePlaces } from '../../../core/postings/capture-places.ts'
import { placeOf } from '../../../core/segment/positions/place.ts'
import { endingAt, type NaiveCapture, writeSegment } from '../segment/naive-index.ts'

const captures = Array.from({ length: 400 }, (_, i): NaiveCapture => {
  const terms = new Map([['everywhere', [1, 20, 21 + i]]])
  if (i % 3 === 0) terms.set('third', [5])
  if (i === 200) terms.set('once', [3, 9])
  if (i % 2 === 0) terms.set('host', [])
  return { captureId: i, url: `https://a.example/${i}`, acquiredAt: i, publishedAt: Number.NaN, declared: false, terms }
})

describe('the places of terms in a capture', () => {
  const places = new CapturePlaces(writeSegment(1, captures).segment)

  function read(term: string, ordinal: number): number[] | undefined {
    const out = { count: 0, values: new Uint32Array(1) }
    return places.read(term, ordinal, out) ? [...out.values.subarray(0, out.count)] : undefined
  }

  it('are those of its postings, in any order of captures', () => {
    for (const ordinal of [0, 399, 127, 200, 128, 3])
      for (const term of ['everywhere', 'third', 'once']) {
        const positions = captures[ordinal]!.terms.get(term)
        expect(read(term, ordinal)).toEqual(positions?.map(position => placeOf(position, endingAt(position))))
      }
  })

  it('are none for a term that is absent, or has no positions', () => {
    expect(read('absent', 0)).toBeUndefined()
    expect(read('host', 0)).toBeUndefined()
    expect(read('third', 1)).toBeUndefined()
    expect(read('once', 399)).toBeUndefined()
  })

  it('have a first position from each position on', () => {
    expect([0, 2, 21, 231, 232].map(from => places.firstFrom('everywhere', 210, from))).toEqual([
      1,
      20,
      231,
      231,
      Number.POSITIVE_INFINITY,
    ])
    expect(places.firstFrom('absent', 0, 0)).toBe(Number.POSITIVE_INFINITY)
  })
})
