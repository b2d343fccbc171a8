import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { hasEnding, onlyEnding, placeOf } from '../../../../core/segment/positions/place.ts'
import { encodePositions, PositionList } from '../../../../core/segment/positions/positions-codec.ts'
import { encodedPlaces } from '../naive-index.ts'

const posting = fc.array(
  fc.record({ gap: fc.integer({ min: 1, max: 300 }), ending: fc.constantFrom(0, 0, 0, 1, 7, 15) }),
  { minLength: 1, maxLength: 40 },
)

/** The places of a posting, ascending. */
function placesOf(steps: readonly { gap: number; ending: number }[]): number[] {
  let position = 0
  return steps.map(({ gap, ending }) => {
    position += gap
    return placeOf(position, ending)
  })
}

function listOf(places: readonly number[][]): PositionList {
  const encoded = places.map(some => encodedPlaces(some, 0))
  const out = new ByteWriter()
  encodePositions(
    {
      count: places.length,
      ordinals: Uint32Array.from(places.keys()),
      frequencies: Uint32Array.from(places, some => some.length),
      positionLengths: Uint32Array.from(encoded, ({ length }) => length),
      positions: Buffer.concat(encoded),
    },
    out,
  )
  const bytes = out.finish()
  const range = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length)
  const copy = (offset: number, length: number, into: Uint8Array, at: number): void =>
    into.set(range(offset, length), at)
  return new PositionList({ range, around: () => ({ bytes, from: 0 }), copy }, places.length, bytes.length)
}

describe('a list of positions', () => {
  it('reads the places of each posting, and tells which endings are among them', () => {
    fc.assert(
      fc.property(fc.array(posting, { minLength: 1, maxLength: 300 }), lists => {
        const places = lists.map(placesOf)
        const list = listOf(places)
        const out = { count: 0, values: new Uint32Array(4) }
        for (const [index, expected] of places.entries()) {
          list.places(index, out)
          expect([...out.values.subarray(0, out.count)]).toEqual(expected)
          for (const ending of [0, 1, 7, 9, 15]) {
            const isThere = expected.some(place => hasEnding(place, onlyEnding(ending)))
            expect(list.hasEnding(index, onlyEnding(ending))).toBe(isThere)
          }
        }
      }),
      { numRuns: 20 },
    )
  })
})
