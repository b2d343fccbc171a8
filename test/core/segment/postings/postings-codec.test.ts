import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../../core/bytes/bit-packing.ts'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { placeOf } from '../../../../core/segment/positions/place.ts'
import { encodePositions, PositionList } from '../../../../core/segment/positions/positions-codec.ts'
import { PostingList } from '../../../../core/segment/postings/posting-list.ts'
import { encodePostings, type TermPostings } from '../../../../core/segment/postings/postings-codec.ts'
import { damage, damaged, readDamaged } from '../damage.ts'
import { endingAt, termPostings } from '../naive-index.ts'

interface Posting {
  ordinal: number
  frequency: number
  positions: number[]
  signature: number
}

const sizes = [1, 2, 127, 128, 129, 255, 256, 257, 384, 1000]

/** Lists of one of the sizes around the borders of blocks, with gaps of 0, small and huge ones. */
const postingLists: fc.Arbitrary<Posting[]> = fc
  .tuple(fc.constantFrom(...sizes), fc.integer({ min: 0, max: 3 }), fc.nat())
  .chain(([size, spread, seed]) =>
    fc
      .array(
        fc.record({
          gap: fc.oneof(
            { weight: 9, arbitrary: fc.constant(0) },
            { weight: 3, arbitrary: fc.integer({ min: 0, max: 10 ** spread * 3 }) },
            { weight: spread === 3 ? 1 : 0, arbitrary: fc.integer({ min: 0, max: 4_000_000 }) },
          ),
          frequency: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 0xffff_ffff })),
          positions: fc.uniqueArray(fc.oneof(fc.nat(200), fc.nat(2 ** 28 - 1)), { maxLength: 5 }),
          signature: fc.nat(255),
        }),
        { minLength: 5, maxLength: 40 },
      )
      .map(pattern => {
        let ordinal = -1
        return Array.from({ length: size }, (_, i) => {
          const { gap, frequency, positions, signature } = pattern[(i * 7 + (seed % 13)) % pattern.length]!
          ordinal += gap + 1
          return { ordinal, frequency, positions: [...positions].sort((a, b) => a - b), signature }
        })
      }),
  )

const captures = 2 ** 32
const saturation = (): number => 0.5

function encoded(postings: TermPostings): Uint8Array {
  const writer = new ByteWriter(1)
  encodePostings(postings, saturation, writer)
  return writer.finish()
}

function encodedPositionList(postings: TermPostings): Uint8Array {
  const writer = new ByteWriter(1)
  encodePositions(postings, writer)
  return writer.finish()
}

/** As {@link Segment} reads them: each read is bounded by the list. */
function positionList(bytes: Uint8Array, count: number): PositionList {
  return new PositionList(
    {
      range: (offset, length) => bytes.slice(offset, offset + length),
      around: () => ({ bytes, from: 0 }),
      copy: (offset, length, into, at) => into.set(bytes.subarray(offset, offset + length), at),
    },
    count,
    bytes.length,
  )
}

function readPostings(bytes: Uint8Array, count: number): { ordinals: number[]; frequencies: number[] } {
  const list = PostingList.decode(bytes, count, captures, saturation)
  const ordinals: number[] = []
  const frequencies: number[] = []
  const buffer = new Uint32Array(BLOCK)
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, buffer)
    ordinals.push(...buffer.subarray(0, size))
    list.frequenciesLessOne(block, buffer)
    frequencies.push(...buffer.subarray(0, size).map(frequency => frequency + 1))
  }
  return { ordinals, frequencies }
}

function readPositions(bytes: Uint8Array, count: number, order: readonly number[]): number[][] {
  const list = positionList(bytes, count)
  const out = { count: 0, values: new Uint32Array(1) }
  return order.map(index => {
    const { count: found, values } = list.positions(index, out)
    return Array.from(values.subarray(0, found))
  })
}

describe('an encoded posting list', () => {
  it('reads back as written', () => {
    fc.assert(
      fc.property(postingLists, postings => {
        const bytes = encoded(termPostings(postings))
        if (postings.length >= BLOCK) expect(bytes.length % 4).toBe(0)
        expect(readPostings(bytes, postings.length)).toEqual({
          ordinals: postings.map(({ ordinal }) => ordinal),
          frequencies: postings.map(({ frequency }) => frequency),
        })
      }),
    )
  })

  it('is corrupt if it is cut', () => {
    fc.assert(
      fc.property(postingLists, fc.nat(), (postings, seed) => {
        const bytes = encoded(termPostings(postings))
        const cut = bytes.slice(0, seed % bytes.length)
        expect(() => readPostings(cut, postings.length)).toThrow(
          expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
        )
      }),
    )
  })

  it('if it is damaged, fails only as corrupt, and has only ascending ordinals of captures of its segment', () => {
    fc.assert(
      fc.property(postingLists, damage, (postings, done) => {
        const bytes = damaged(encoded(termPostings(postings)), done)
        const held = postings[postings.length - 1]!.ordinal + 1
        readDamaged(() => {
          const list = PostingList.decode(bytes, postings.length, held, saturation)
          const buffer = new Uint32Array(BLOCK)
          let previous = -1
          for (let block = 0; block < list.blocks; block++) {
            list.frequenciesLessOne(block, buffer)
            const size = list.ordinals(block, buffer)
            // The sums of wider gaps may overflow.
            for (let i = 0; i < size && held <= 2 ** 25; i++) {
              if (buffer[i]! <= previous || buffer[i]! >= held) throw new RangeError(`ordinal ${buffer[i]} of ${held}`)
              previous = buffer[i]!
            }
          }
          list.blockOf(1000)
          list.countBelow(1000, buffer)
          list.windowMaxImpacts()
        })
      }),
      { numRuns: 500 },
    )
  })

  describe('is corrupt when it is opened if', () => {
    const postings = termPostings(
      Array.from({ length: 300 }, (_, i) => ({ ordinal: i * 3, frequency: 2, positions: [] })),
    )
    const open = (change: (bytes: Uint8Array) => void, held = 898): PostingList => {
      const bytes = encoded(postings)
      change(bytes)
      return PostingList.decode(bytes, 300, held, saturation)
    }
    // After the last ordinals of two blocks, 381 and 765, come the impacts, the gap widths and the frequency widths.
    it.each<[string, (bytes: Uint8Array) => void]>([
      ['the last ordinals of two blocks are too close', bytes => bytes.set([0xfc, 2], 0)],
      ['the last ordinal of a block is not below that of the next', bytes => bytes.set([0, 4], 0)],
      ['a gap is wider than the last ordinals allow', bytes => bytes.set([9], 12)],
      ['a frequency is wider than 32 bits', bytes => bytes.set([33], 16)],
      ['its widths do not add up to its length', bytes => bytes.set([1], 12)],
    ])('%s', (_, change) => {
      expect(() => open(change)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })

    it('its last ordinal is not below the number of captures', () => {
      expect(() => open(() => {})).not.toThrow()
      expect(() => open(() => {}, 897)).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
    })
  })

  it('is corrupt when a block is decoded that does not end with its last ordinal', () => {
    const postings = termPostings(
      Array.from({ length: 256 }, (_, i) => ({ ordinal: i * 3, frequency: 1, positions: [] })),
    )
    const bytes = encoded(postings)
    bytes[16 + 7]! ^= 1
    const list = PostingList.decode(bytes, 256, 766, saturation)
    expect(() => list.ordinals(0, new Uint32Array(BLOCK))).toThrow(
      expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
    )
    expect(list.ordinals(1, new Uint32Array(BLOCK))).toBe(BLOCK)
  })
})

describe('an encoded position list', () => {
  it('reads back as written, in any order', () => {
    fc.assert(
      fc.property(postingLists, fc.nat(), (postings, seed) => {
        const bytes = encodedPositionList(termPostings(postings))
        if (postings.length >= BLOCK) expect(bytes.length % 4).toBe(0)
        const order = postings.map((_, i) => (i * 89 + seed) % postings.length)
        expect(readPositions(bytes, postings.length, order)).toEqual(order.map(index => postings[index]!.positions))
        const list = positionList(bytes, postings.length)
        expect(order.map(index => list.signature(index))).toEqual(
          order.map(index => (postings[index]!.positions.length === 0 ? 0 : postings[index]!.signature)),
        )
      }),
    )
  })

  it('keeps how each occurrence is written', () => {
    fc.assert(
      fc.property(postingLists, postings => {
        const list = positionList(encodedPositionList(termPostings(postings)), postings.length)
        const out = { count: 0, values: new Uint32Array(1) }
        for (const [index, { positions }] of postings.entries()) {
          const { values, count } = list.places(index, out)
          const written = positions.map(position => placeOf(position, endingAt(position)))
          expect([...values.subarray(0, count)]).toEqual(written)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('returns all lengths and bytes at once, for merges', () => {
    fc.assert(
      fc.property(postingLists, postings => {
        const given = termPostings(postings)
        const lengths = new Uint32Array(postings.length)
        const out = new ByteWriter(1)
        positionList(encodedPositionList(given), postings.length).appendAll(postings.length, lengths, out)
        expect(lengths).toEqual(given.positionLengths)
        expect(Buffer.compare(out.finish(), given.positions)).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('fails only as corrupt if it is damaged', () => {
    fc.assert(
      fc.property(postingLists, damage, (postings, done) => {
        const bytes = damaged(encodedPositionList(termPostings(postings)), done)
        readDamaged(() => {
          readPositions(
            bytes,
            postings.length,
            postings.map((_, i) => i),
          )
        })
      }),
      { numRuns: 300 },
    )
  })

  it('may hold postings without any position', () => {
    const postings = termPostings(
      Array.from({ length: 300 }, (_, ordinal) => ({ ordinal, frequency: 1, positions: [] })),
    )
    expect(readPositions(encodedPositionList(postings), 300, [0, 127, 128, 299])).toEqual([[], [], [], []])
  })
})
