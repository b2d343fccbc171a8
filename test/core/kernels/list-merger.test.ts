import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListMerger } from '../../../core/kernels/list-merger.ts'
import { mergeTerms, OMITTED } from '../../../core/merge/segment-merger.ts'
import { type Columns, createColumns } from '../../../core/segment/columns/columns.ts'
import { SegmentWriter } from '../../../core/segment/segment-writer.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { MemoryChunks } from '../segment/memory-chunks.ts'
import { termPostings } from '../segment/naive-index.ts'

/** Returns a function that draws integers below a limit, the same ones for the same seed. */
function drawing(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

interface World {
  sources: MemoryChunks[]
  mappings: Uint32Array[]
  columns: Columns
}

interface Layout {
  seed: number
  captures: number
  segments: number
  /** Number of successive captures that go to the same segment. */
  runs: number
  /** One capture in this many is left out; 0: none. */
  omits: number
  /** All captures but one in this many have ended; 0: none has. */
  current: number
  /** Number of successive captures that are acquired at one instant. */
  together: number
}

const layouts: fc.Arbitrary<Layout> = fc.record({
  seed: fc.nat(),
  captures: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 400, max: 9_000 }) },
  ),
  segments: fc.integer({ min: 1, max: 6 }),
  runs: fc.constantFrom(1, 2, 40, 300, 10_000),
  omits: fc.constantFrom(0, 0, 2, 9),
  current: fc.constantFrom(0, 2, 10, 1_000),
  together: fc.constantFrom(1, 1, 3, 200),
})

/** Segments with terms of all lengths, whose postings have none, one or many positions, near or far apart. */
function worldOf({ seed, captures, segments, runs, omits, current, together }: Layout): World {
  const draw = drawing(seed)
  const placeOf: [segment: number, ordinal: number][] = []
  const sizes = new Array<number>(segments).fill(0)
  for (let i = 0; i < captures; i++) {
    const segment = Math.floor(i / runs) % segments
    placeOf.push([segment, sizes[segment]!++])
  }
  const mappings = sizes.map(size => new Uint32Array(size))
  let kept = 0
  for (const [segment, ordinal] of placeOf)
    mappings[segment]![ordinal] = omits > 0 && draw(omits) === 0 ? OMITTED : kept++
  const columns = createColumns(kept)
  for (let i = 0; i < kept; i++) {
    columns.lengths[i] = draw(4) === 0 ? draw(100_000) : draw(500)
    columns.acquiredAt[i] = 10 * Math.floor(i / together)
    if (current === 0 || draw(current) === 0) continue
    // Mostly at an instant at which another capture is acquired, soon or late.
    const later = draw(3) === 0 ? draw(kept) : draw(20)
    columns.supersededAt[i] = columns.acquiredAt[i]! + 10 * later + (draw(9) === 0 ? 1 : 0)
  }
  const sources = sizes.map(() => new MemoryChunks())
  const writers = sizes.map((size, s) => {
    const own = createColumns(size)
    own.lengths.fill(100)
    return new SegmentWriter(sources[s]!, own)
  })
  for (let term = 0; term < 14; term++) {
    const oneIn = [1, 1, 2, 3, 10, 40, 150, 600, 3_000][draw(9)]!
    const most = [1, 1, 2, 5, 60][draw(5)]!
    const far = [2, 30, 300, 70_000, 1 << 20][draw(5)]!
    const postings = sizes.map(
      (): { ordinal: number; frequency: number; positions: number[]; signature: number }[] => [],
    )
    for (const [segment, ordinal] of placeOf) {
      if (draw(oneIn) > 0) continue
      let position = draw(far)
      const positions = Array.from({ length: draw(12) === 0 ? 0 : 1 + draw(most) }, () => {
        position += draw(draw(50) === 0 ? far * 100 : far)
        return position
      })
      const frequency = draw(20) === 0 ? 1 + draw(1 << 20) : Math.max(1, positions.length)
      postings[segment]!.push({ ordinal, frequency, positions, signature: draw(256) })
    }
    for (const [s, list] of postings.entries())
      if (list.length > 0) writers[s]!.add(`term ${String.fromCharCode(97 + term)}`, termPostings(list))
  }
  const written = sizes.map((size, s) => size > 0 && writers[s]!.finish(s + 1))
  const present = written.flatMap((info, s) => (info ? [s] : []))
  return { sources: present.map(s => sources[s]!), mappings: present.map(s => mappings[s]!), columns }
}

/** Counts the terms that the kernel merged, and those that it left to TypeScript. */
interface Tally {
  merged: number
  refused: number
  /** Number of lists that the kernel merged with a standing list. */
  standing: number
}

/** Merges with the kernel if there is a tally, else without it. Returns the chunks by name, or the error. */
function mergedChunks({ sources, mappings, columns }: World, tally?: Tally): Map<string, Uint8Array> | string {
  const chunks = new MemoryChunks()
  const writer = new SegmentWriter(chunks, columns)
  let lists: ListMerger | undefined
  if (tally) {
    const { averageLength, standing } = writer
    lists = ListMerger.open({ mappings, lengths: columns.lengths, averageLength, standing })
    if (!lists) throw new Error('the tests run where WebAssembly has SIMD')
    const merge = lists.merge.bind(lists)
    lists.merge = () => {
      const merged = merge()
      tally[merged ? 'merged' : 'refused']++
      if (merged && merged.ended > 0) tally.standing++
      return merged
    }
  }
  try {
    for (const _ of mergeTerms(sources, mappings, writer, lists));
    writer.finish(99)
  } catch (error) {
    return String(error)
  }
  return chunks.chunks
}

function expectEqual(actual: Map<string, Uint8Array> | string, expected: Map<string, Uint8Array> | string): void {
  if (typeof expected === 'string' || typeof actual === 'string') {
    expect(actual).toBe(expected)
    return
  }
  expect([...actual.keys()]).toEqual([...expected.keys()])
  for (const [name, bytes] of expected) expect(Buffer.compare(actual.get(name)!, bytes), name).toBe(0)
}

describe('the list merger', () => {
  it('writes byte for byte what the merger in TypeScript writes', () => {
    const tally: Tally = { merged: 0, refused: 0, standing: 0 }
    fc.assert(
      fc.property(layouts, layout => {
        const world = worldOf(layout)
        if (world.columns.lengths.length > 0) expectEqual(mergedChunks(world, tally), mergedChunks(world))
      }),
      { numRuns: 25 },
    )
    expect(tally.refused).toBe(0)
    expect(tally.merged).toBeGreaterThan(100)
    expect(tally.standing).toBeGreaterThan(20)
  })

  it('fails as the merger in TypeScript does on damaged lists, and else writes the same', () => {
    const tally: Tally = { merged: 0, refused: 0, standing: 0 }
    const changes = fc.array(
      fc.tuple(
        fc.constantFrom(Stream.postings, Stream.longPostings, Stream.positions),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(255),
      ),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(
        layouts.map(layout => ({ ...layout, captures: Math.ceil(layout.captures / 4) })),
        changes,
        (layout, damage) => {
          const world = worldOf(layout)
          if (world.columns.lengths.length === 0) return
          for (const [stream, place, value] of damage) {
            const chunks = world.sources.flatMap(({ chunks }) =>
              [...chunks].filter(([name]) => name.startsWith(`${stream}/`)).map(([, bytes]) => bytes),
            )
            const total = chunks.reduce((sum, { length }) => sum + length, 0)
            let at = Math.floor(place * total)
            for (const bytes of chunks) {
              if (at >= 0 && at < bytes.length) bytes[at] = value
              at -= bytes.length
            }
          }
          expectEqual(mergedChunks(world, tally), mergedChunks(world))
        },
      ),
      { numRuns: 100 },
    )
    expect(tally.refused).toBeGreaterThan(0)
  })

  it('leaves lists that do not fit its memory, and merges of many segments, to TypeScript', () => {
    const world = worldOf({ seed: 1, captures: 10, segments: 2, runs: 1, omits: 0, current: 0, together: 1 })
    const merge = { mappings: world.mappings, lengths: world.columns.lengths, averageLength: 100, standing: undefined }
    const lists = ListMerger.open(merge)!
    lists.begin()
    expect(lists.reserve(1_000)).toBeTypeOf('number')
    expect(lists.reserve(1 << 30)).toBeUndefined()
    expect(lists.reserve(2 ** 50)).toBeUndefined()
    expect(
      ListMerger.open({ ...merge, mappings: Array.from({ length: 65 }, () => new Uint32Array(1)) }),
    ).toBeUndefined()
  })
})
