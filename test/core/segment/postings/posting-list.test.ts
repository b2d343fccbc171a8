import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../../core/bytes/bit-packing.ts'
import { ByteWriter } from '../../../../core/bytes/byte-buffer.ts'
import { Arena } from '../../../../core/segment/arena.ts'
import { PostingList } from '../../../../core/segment/postings/posting-list.ts'
import { encodePostings } from '../../../../core/segment/postings/postings-codec.ts'
import { storesWindowImpacts, WINDOW } from '../../../../core/segment/postings/window-impacts.ts'
import { quantizeImpact, type Saturation, saturationBy } from '../../../../core/segment/ranking-model.ts'
import { termPostings } from '../naive-index.ts'

const captures = 100_000

/** With it the impact of a posting is its frequency. */
const frequencyAsImpact: Saturation = (_, frequency) => frequency / 255

/** Ascending ordinals in runs and jumps. */
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
    encodePostings(given, frequencyAsImpact, writer)
    const bytes = writer.finish()
    const open = (saturation = frequencyAsImpact) => PostingList.decode(bytes, postings.length, captures, saturation)
    return { postings, list: open(), open }
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

  it('has for each block and each window the highest impact of its own postings', () => {
    fc.assert(
      fc.property(lists, ({ postings, list }) => {
        const blocks = new Uint8Array(list.blocks)
        const windows = new Uint8Array(Math.floor(postings[postings.length - 1]!.ordinal / WINDOW) + 1)
        for (const [i, { ordinal, frequency }] of postings.entries()) {
          const block = Math.floor(i / BLOCK)
          const window = Math.floor(ordinal / WINDOW)
          blocks[block] = Math.max(blocks[block]!, frequency)
          windows[window] = Math.max(windows[window]!, frequency)
        }
        expect(Array.from(blocks, (_, block) => list.blockMaxImpact(block))).toEqual([...blocks])
        expect([...list.windowMaxImpacts()]).toEqual([...windows])
      }),
    )
  })

  it('stores the impacts of its windows if it is long, and computes them if it is short', () => {
    let stored = 0
    fc.assert(
      fc.property(lists, ({ postings, list, open }) => {
        const reopened = open(() => 1).windowMaxImpacts()
        const isStored = storesWindowImpacts(postings.length, postings[postings.length - 1]!.ordinal)
        if (isStored) stored++
        expect([...reopened]).toEqual(
          [...list.windowMaxImpacts()].map(impact => (isStored || impact === 0 ? impact : 255)),
        )
      }),
      { numRuns: 200 },
    )
    expect(stored).toBeGreaterThan(0)
    expect(stored).toBeLessThan(200)
  })

  it('reads the same after it moved into an arena', () => {
    const arena = Arena.open(2 ** 20)!
    const read = (list: PostingList) => {
      const frequencies = new Uint32Array(BLOCK)
      return {
        blocks: Array.from({ length: list.blocks }, (_, block) => {
          const size = list.ordinals(block, scratch)
          list.frequenciesLessOne(block, frequencies)
          return [
            list.last(block),
            list.blockMaxImpact(block),
            ...scratch.slice(0, size),
            ...frequencies.slice(0, size),
          ]
        }),
        single: Array.from({ length: list.count }, (_, index) => list.frequencyAt(index)),
        windows: [...list.windowMaxImpacts()],
        found: [0, 5, 4096, 9000, 20_000].map(ordinal => list.blockOf(ordinal)),
      }
    }
    fc.assert(
      fc.property(lists, ({ open }) => {
        const list = open()
        const before = read(list)
        const { imageBytes } = list
        const place = arena.allocate(imageBytes)!
        list.moveTo(place)
        expect(list.place).toBe(place)
        expect(read(list)).toEqual(before)
        expect(list.imageBytes).toBe(imageBytes)
        arena.release(place.at, imageBytes)
        arena.reclaim()
      }),
    )
  })

  it('has the impact 0 for windows without a posting, so that they are skipped', () => {
    const writer = new ByteWriter()
    const given = termPostings([5, WINDOW * 9].map(ordinal => ({ ordinal, frequency: 7, positions: [] })))
    encodePostings(given, frequencyAsImpact, writer)
    const impacts = PostingList.decode(writer.finish(), 2, captures, frequencyAsImpact).windowMaxImpacts()
    expect([...impacts]).toEqual([7, 0, 0, 0, 0, 0, 0, 0, 0, 7])
  })

  it('from the dictionary has one block, and an impact computed from the lengths', () => {
    const given = termPostings([
      { ordinal: 1, frequency: 2, positions: [] },
      { ordinal: 3, frequency: 9, positions: [] },
    ])
    const saturation = saturationBy(Uint32Array.of(9, 10, 9, 4000), 100)
    const list = PostingList.inline(given, 4, saturation)
    expect([list.blocks, list.count, list.last(0)]).toEqual([1, 2, 3])
    expect(list.blockMaxImpact(0)).toBe(quantizeImpact(Math.max(saturation(1, 2), saturation(3, 9))))
    expect([...list.windowMaxImpacts()]).toEqual([list.blockMaxImpact(0)])
    expect([0, 1, 2, 3, 4].map(end => list.countBelow(end, scratch))).toEqual([0, 0, 1, 1, 2])
    expect([list.blockOf(3), list.blockOf(4)]).toEqual([0, 1])
  })

  it.each([
    ['are equal', [3, 3]],
    ['descend', [3, 1]],
    ['are not below the number of captures', [3, 4]],
    ['are missing', []],
  ])('from the dictionary is corrupt if its ordinals %s', (_, ordinals) => {
    const given = termPostings(ordinals.map(ordinal => ({ ordinal, frequency: 1, positions: [] })))
    expect(() => PostingList.inline(given, 4, frequencyAsImpact)).toThrow(
      expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
    )
  })
})
