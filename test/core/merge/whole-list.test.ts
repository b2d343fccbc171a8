import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { decodeAllPositions, decodeAllPostings } from '../../../core/merge/whole-list.ts'
import { encodePositions } from '../../../core/segment/positions/positions-codec.ts'
import { PostingsAccumulator } from '../../../core/segment/postings/postings-accumulator.ts'
import { encodePostings } from '../../../core/segment/postings/postings-codec.ts'
import { damage, damaged, readDamaged } from '../segment/damage.ts'
import { termPostings } from '../segment/naive-index.ts'

const postings = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 1 << 20 })),
      frequency: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 1 << 20 })),
      positions: fc.array(fc.integer({ min: 0, max: 1 << 20 }), { maxLength: 5 }),
      signature: fc.nat(255),
    }),
    { minLength: 1, maxLength: 400 },
  )
  .map(list => {
    let ordinal = -1
    return termPostings(
      list.map(({ gap, frequency, positions, signature }) => {
        ordinal += gap
        return { ordinal, frequency, positions: positions.sort((a, b) => a - b), signature }
      }),
    )
  })

type Encode = (given: typeof postings extends fc.Arbitrary<infer T> ? T : never, out: ByteWriter) => void

function encoded(given: Parameters<Encode>[0], encode: Encode): Uint8Array {
  const out = new ByteWriter()
  encode(given, out)
  return out.finish()
}

/** With room for the postings, but not for their positions. */
function accumulatorOf(postings: number): PostingsAccumulator {
  const into = new PostingsAccumulator()
  into.begin(postings, 0)
  return into
}

describe('a whole list', () => {
  it('is decoded to what was encoded, and appended to the output', () => {
    fc.assert(
      fc.property(postings, fc.nat(5), (given, at) => {
        const { count } = given
        const list = () => new Uint32Array(at + count)
        const [ordinals, frequencies] = [list(), list()] as const
        decodeAllPostings(
          encoded(given, (list, out) => encodePostings(list, () => 1, out)),
          count,
          ordinals,
          frequencies,
          at,
        )
        expect([ordinals.subarray(at), frequencies.subarray(at)]).toEqual([given.ordinals, given.frequencies])
        const into = accumulatorOf(at + count)
        into.positionBytes = at
        decodeAllPositions(encoded(given, encodePositions), count, into, at)
        expect(into.positionLengths.subarray(at, at + count)).toEqual(given.positionLengths)
        expect(Buffer.compare(into.positions.subarray(at, into.positionBytes), given.positions)).toBe(0)
      }),
      { numRuns: 60 },
    )
  })

  it('fails only as corrupt if it is damaged', () => {
    fc.assert(
      fc.property(postings, damage, (given, done) => {
        const { count } = given
        const room = new Uint32Array(count)
        const list = damaged(
          encoded(given, (whole, out) => encodePostings(whole, () => 1, out)),
          done,
        )
        readDamaged(() => decodeAllPostings(list, count, room, room, 0))
        const positions = damaged(encoded(given, encodePositions), done)
        readDamaged(() => decodeAllPositions(positions, count, accumulatorOf(count), 0))
      }),
      { numRuns: 200 },
    )
  })
})
