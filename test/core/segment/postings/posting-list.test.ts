import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../../core/bytes/bit-packing.ts'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { PostingList, WINDOW } from '../../../../core/segment/postings/posting-list.ts'
import { encodePostings } from '../../../../core/segment/postings/postings-codec.ts'
import { quantizeImpact, SATURATION_BASE, saturationSlope } from '../../../../core/segment/ranking-model.ts'
import { termPostings } from '../naive-index.ts'

/** Ascending ordinals in runs and jumps, as a list whose block bounds are the highest frequency of the block. */
const lists = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.oneof(fc.integer({ min: 0, max: 3 }), fc.nat(9000))), {
    minLength: 1,
    maxLength: 8,
  })
  .map(runs => {
    const postings: { ordinal: number; frequency: number; positions: number[] }[] = []
    let ordinal = -1
    for (const [size, gap] of runs)
      for (let i = 0; i < size; i++) {
        ordinal += i === 0 ? gap + 1 : 1
        postings.push({ ordinal, frequency: ((ordinal * 37) % 200) + 1, positions: [] })
      }
    const writer = new ByteWriter()
    const given = termPostings(postings)
    encodePostings(given, ({ frequencies }, from, to) => Math.max(...frequencies.subarray(from, to)), writer)
    return { postings, list: PostingList.decode(writer.finish(), postings.length) }
  })

const scratch = new Uint32Array(BLOCK)

describe('a posting list', () => {
  it('finds the block of any ordinal', () => {
    fc.assert(
      fc.property(lists, fc.nat(30_000), ({ postings, list }, ordinal) => {
        const index = postings.findIndex(posting => posting.ordinal >= ordinal)
        expect(list.blockOf(ordinal)).toBe(index < 0 ? list.blocks : Math.floor(index / BLOCK))
      }),
    )
  })

  it('counts the ordinals below any end', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: -1, max: 30_000 }), fc.nat(), ({ postings, list }, cut, seed) => {
        const below = (end: number) => postings.filter(({ ordinal }) => ordinal < end).length
        const near = postings[seed % postings.length]!.ordinal
        for (const end of [cut, near, near + 1]) expect(list.countBelow(end, scratch)).toBe(below(end))
      }),
    )
  })

  it('bounds every window from above, with at most the highest impact of a block that reaches into it', () => {
    fc.assert(
      fc.property(lists, ({ postings, list }) => {
        const bounds = list.windowMaxImpacts()
        expect(bounds.length).toBe(Math.floor(postings[postings.length - 1]!.ordinal / WINDOW) + 1)
        for (const { ordinal, frequency } of postings)
          expect(bounds[Math.floor(ordinal / WINDOW)]).toBeGreaterThanOrEqual(frequency)
        const reach = new Uint8Array(bounds.length)
        for (let block = 0; block < list.blocks; block++) {
          const first = block === 0 ? 0 : list.last(block - 1) + 1
          for (let w = Math.floor(first / WINDOW); w <= Math.floor(list.last(block) / WINDOW); w++)
            reach[w] = Math.max(reach[w]!, list.blockMaxImpact(block))
        }
        for (const [w, bound] of bounds.entries()) expect(bound).toBeLessThanOrEqual(reach[w]!)
      }),
    )
  })

  it('has the impact 0 for windows without a posting, so that they are skipped', () => {
    const writer = new ByteWriter()
    const given = termPostings([5, WINDOW * 9].map(ordinal => ({ ordinal, frequency: 7, positions: [] })))
    encodePostings(given, () => 7, writer)
    const bounds = PostingList.decode(writer.finish(), 2).windowMaxImpacts()
    expect([...bounds]).toEqual([7, 0, 0, 0, 0, 0, 0, 0, 0, 7])
  })

  it('from the dictionary has one block, and an impact computed from the lengths', () => {
    const given = termPostings([
      { ordinal: 1, frequency: 2, positions: [] },
      { ordinal: 3, frequency: 9, positions: [] },
    ])
    const lengths = Uint32Array.of(9, 10, 9, 4000)
    const list = PostingList.inline(given, lengths, 100)
    const saturated = (frequency: number, length: number) =>
      frequency / (frequency + SATURATION_BASE + saturationSlope(100) * length)
    expect([list.blocks, list.count, list.last(0)]).toEqual([1, 2, 3])
    expect(list.blockMaxImpact(0)).toBe(quantizeImpact(Math.max(saturated(2, 10), saturated(9, 4000))))
    expect([0, 1, 2, 3, 4].map(end => list.countBelow(end, scratch))).toEqual([0, 0, 1, 1, 2])
    expect([list.blockOf(3), list.blockOf(4)]).toEqual([0, 1])
  })
})
