import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import type { Segment } from '../segment/segment.ts'

const ordinals = new Uint32Array(BLOCK)

/**
 * The first position of a term in a capture, from a position on.
 *
 * @returns undefined if the term does not occur there.
 */
export function firstPosition(segment: Segment, term: string, ordinal: number, from: number): number | undefined {
  const found = segment.term(term)
  if (!found) return undefined
  const { list, entry } = found
  const block = list.blockOf(ordinal)
  if (block === list.blocks) return undefined
  const size = list.ordinals(block, ordinals)
  const index = lowerBound(ordinals, size, ordinal)
  if (index === size || ordinals[index] !== ordinal) return undefined
  const { values, count } = segment
    .positions(entry)
    .positions(block * BLOCK + index, { count: 0, values: new Uint32Array(BLOCK) })
  const at = lowerBound(values, count, from)
  return at < count ? values[at] : undefined
}
