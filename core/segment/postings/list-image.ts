import { BLOCK } from '../../bytes/bit-packing.ts'
import type { Allocation } from '../arena.ts'
import type { PostingsLayout } from './postings-codec.ts'

/**
 * An open posting list in the memory of a kernel: `List` in layout.h. After its header come, in this order:
 *
 *   last ordinal of each block, tail included       u32
 *   first word of each full block                   u32, an index into the words after the header
 *   tail: ordinals, then frequencies                u32
 *   full blocks                                     as stored
 *   impact of each block, tail included             u8
 *   gap width of each full block                    u8
 *   frequency width of each full block              u8
 *   impact of each window                           u8
 */
const HEADER_BYTES = 48

/** The number of bytes of the image of a list. */
export function imageBytes(layout: PostingsLayout, windows: number): number {
  const { blocks, full, tail } = layout
  const [from, to] = packedWords(layout)
  return HEADER_BYTES + 4 * (blocks + full + tail.length + to - from) + blocks + 2 * full + windows
}

/**
 * Copies a list to an arena, where it takes {@link imageBytes} bytes, and returns the layout of the copy.
 */
export function placeList(
  count: number,
  layout: PostingsLayout,
  windowImpacts: Uint8Array,
  { arena, at }: Allocation,
): PostingsLayout {
  const { blocks, full, tail, octets, offsets } = layout
  const [firstWord, endWord] = packedWords(layout)
  const packed = layout.words.subarray(firstWord, endWord)
  const { buffer } = arena.memory
  const wordsAt = at + HEADER_BYTES
  const words = new Uint32Array(buffer, wordsAt, blocks + full + tail.length + packed.length)
  words.set(layout.words.subarray(0, full))
  if (blocks > full) words[full] = tail[tail.length / 2 - 1]!
  const tailWord = blocks + full
  const packedWord = tailWord + tail.length
  for (let b = 0; b < full; b++) words[blocks + b] = offsets[b]! - firstWord + packedWord
  words.set(tail, tailWord)
  words.set(packed, packedWord)
  const impactsAt = HEADER_BYTES + 4 * words.length
  const gapWidthsAt = impactsAt + blocks
  const frequencyWidthsAt = gapWidthsAt + full
  const windowImpactsAt = frequencyWidthsAt + full
  const image = new Uint8Array(buffer, at, windowImpactsAt + windowImpacts.length)
  image.set(octets.subarray(layout.impactsAt, layout.impactsAt + blocks), impactsAt)
  image.set(octets.subarray(layout.gapWidthsAt, layout.gapWidthsAt + full), gapWidthsAt)
  image.set(octets.subarray(layout.frequencyWidthsAt, layout.frequencyWidthsAt + full), frequencyWidthsAt)
  image.set(windowImpacts, windowImpactsAt)
  const header = new Uint32Array(buffer, at, HEADER_BYTES / 4)
  header.set([count, full, blocks, windowImpacts.length, impactsAt, gapWidthsAt, frequencyWidthsAt, windowImpactsAt])
  header.set([HEADER_BYTES + 4 * blocks, HEADER_BYTES + 4 * tailWord, 0, 0], 8)
  return {
    full,
    blocks,
    words,
    octets: image,
    impactsAt,
    gapWidthsAt,
    frequencyWidthsAt,
    windowImpactsAt,
    offsets: words.subarray(blocks, tailWord),
    tail: words.subarray(tailWord, packedWord),
  }
}

/** Returns the number of postings and the layout of a list that {@link placeList} wrote to this address. */
export function readPlaced({ arena, at }: Allocation): { count: number; layout: PostingsLayout } {
  const { buffer } = arena.memory
  const header = new Uint32Array(buffer, at, HEADER_BYTES / 4)
  const [count = 0, full = 0, blocks = 0, windows = 0, impactsAt = 0, gapWidthsAt = 0] = header
  const frequencyWidthsAt = header[6]!
  const windowImpactsAt = header[7]!
  const words = new Uint32Array(buffer, at + HEADER_BYTES, (impactsAt - HEADER_BYTES) / 4)
  const tailWord = blocks + full
  const tailWords = 2 * (count - full * BLOCK)
  const octets = new Uint8Array(buffer, at, windowImpactsAt + windows)
  const offsets = words.subarray(blocks, tailWord)
  const tail = words.subarray(tailWord, tailWord + tailWords)
  const layout = {
    full,
    blocks,
    words,
    octets,
    impactsAt,
    gapWidthsAt,
    frequencyWidthsAt,
    windowImpactsAt,
    offsets,
    tail,
  }
  return { count, layout }
}

/** The words of the full blocks: from and to. */
function packedWords({ full, offsets, octets, gapWidthsAt, frequencyWidthsAt }: PostingsLayout): [number, number] {
  if (full === 0) return [0, 0]
  const last = full - 1
  const widths = octets[gapWidthsAt + last]! + octets[frequencyWidthsAt + last]!
  return [offsets[0]!, offsets[last]! + 4 * widths]
}
