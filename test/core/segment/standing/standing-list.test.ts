import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { encodeStandingList, lowWidthOf, StandingList } from '../../../../core/segment/standing/standing-list.ts'
import { damage, damaged, readDamaged } from '../damage.ts'

interface Losses {
  postings: number
  /** Ascending. */
  places: number[]
  /** For each posting, whether it replaces an end; undefined if the list has no bits. */
  replacing: boolean[] | undefined
}

/** A place is at least the number of losses before it, because each loss is an end. */
const anyLosses: fc.Arbitrary<Losses> = fc
  .record({
    gaps: fc.oneof(
      fc.array(fc.oneof(fc.constant(0), fc.nat(3), fc.nat(5_000)), { maxLength: 400 }),
      fc.array(fc.nat(20_000_000), { maxLength: 20 }),
      // Many losses of one instant, as if a whole site was removed.
      fc
        .tuple(fc.nat(9), fc.integer({ min: 1, max: 900 }))
        .map(([gap, size]) => [gap, ...new Array<number>(size).fill(0)]),
    ),
    others: fc.nat(300),
    bits: fc.option(fc.infiniteStream(fc.boolean()), { nil: undefined }),
  })
  .map(({ gaps, others, bits }) => {
    let place = gaps.length
    const places = gaps.map(gap => (place += gap))
    const postings = gaps.length + others
    const drawn = bits && Array.from({ length: postings }, () => bits.next().value as boolean)
    // No more captures can end than there are.
    let room = others
    return { postings, places, replacing: drawn?.map(isSet => isSet && room-- > 0) }
  })

function encoded({ postings, places, replacing }: Losses): Uint8Array {
  const words = new Uint32Array(Math.ceil(postings / 32))
  replacing?.forEach((isSet, i) => {
    if (isSet) words[i >>> 5]! |= 1 << (i & 31)
  })
  const out = new ByteWriter(1)
  encodeStandingList(postings, Uint32Array.from(places), places.length, replacing && words, out)
  return out.finish()
}

function endedOf({ places, replacing = [] }: Losses): number {
  return places.length + replacing.filter(Boolean).length
}

const corrupt = expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' })

describe('a standing list', () => {
  it('counts the postings that replace an end below an index, and the losses below a place', () => {
    fc.assert(
      fc.property(anyLosses, losses => {
        const { postings, places, replacing = [] } = losses
        const list = StandingList.decode(encoded(losses), postings, endedOf(losses))
        const asked = new Set([0, 1, ...places.flatMap(place => [place - 1, place, place + 1, place + 700])])
        for (const end of asked)
          expect(list.endedBelow(0, end), `below ${end}`).toBe(places.filter(place => place < end).length)
        for (let index = 0; index <= postings; index++)
          expect(list.endedBelow(index, 0), `first ${index}`).toBe(replacing.slice(0, index).filter(Boolean).length)
      }),
      { numRuns: 150 },
    )
  })

  it('reads from bytes at any address', () => {
    const losses = { postings: 200, places: [3, 9, 1_000], replacing: undefined }
    const bytes = encoded(losses)
    const moved = new Uint8Array(bytes.length + 1)
    moved.set(bytes, 1)
    expect(StandingList.decode(moved.subarray(1), 200, 3).endedBelow(200, 10)).toBe(2)
  })

  it('has places of 32 bits', () => {
    const places = [0, 2 ** 31, 2 ** 32 - 3, 2 ** 32 - 2]
    const list = StandingList.decode(encoded({ postings: 128, places, replacing: undefined }), 128, 4)
    expect(places.map(place => list.endedBelow(128, place))).toEqual([0, 1, 2, 3])
    expect(list.endedBelow(128, 2 ** 32 - 1)).toBe(4)
  })

  it('takes the number of low bits that needs the fewest bits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(2 ** 31), (losses, more) => {
        const limit = losses + more
        const bits = (width: number): number => losses * width + Math.floor((limit - 1) / 2 ** width)
        const least = Math.min(...Array.from({ length: 32 }, (_, width) => bits(width)))
        expect(bits(lowWidthOf(losses, limit)) - least).toBeLessThanOrEqual(losses)
      }),
    )
  })

  it('fails only as corrupt on damaged bytes, and counts no more ends than there are', () => {
    fc.assert(
      fc.property(anyLosses, damage, (losses, done) => {
        const { postings, places } = losses
        const ended = endedOf(losses)
        readDamaged(() => {
          const list = StandingList.decode(damaged(encoded(losses), done), postings, ended)
          for (const place of places)
            for (const end of [place, place + 1]) {
              const found = list.endedBelow(postings, end)
              expect(found).toBeGreaterThanOrEqual(0)
              expect(found).toBeLessThanOrEqual(ended)
            }
        })
      }),
      { numRuns: 500 },
    )
  })

  it('is corrupt if the dictionary has another number of ends', () => {
    const losses = { postings: 200, places: [3, 9], replacing: undefined }
    expect(() => StandingList.decode(encoded(losses), 200, 3)).toThrow(corrupt)
    expect(() => StandingList.decode(encoded(losses), 200, 1)).toThrow(corrupt)
  })

  it('is corrupt if bytes are missing or left over', () => {
    fc.assert(
      fc.property(anyLosses, losses => {
        const bytes = encoded(losses)
        const read = (changed: Uint8Array) => () => StandingList.decode(changed, losses.postings, endedOf(losses))
        expect(read(Buffer.concat([bytes, new Uint8Array(4)]))).toThrow(corrupt)
        expect(read(bytes.subarray(0, bytes.length - 4))).toThrow(corrupt)
      }),
    )
  })
})
