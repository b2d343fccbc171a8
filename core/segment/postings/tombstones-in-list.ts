import { lowerBound } from '../../bytes/binary-search.ts'
import { BLOCK } from '../../bytes/bit-packing.ts'
import type { PostingList } from './posting-list.ts'

interface Known {
  /** The tombstones of the segment for which `held` was computed. If they change, the segment gets another array. */
  tombstones: Uint32Array
  held: Uint32Array
}

const known = new WeakMap<PostingList, Known>()

/**
 * The ordinals of `tombstones` (ascending) that a posting list holds. They are computed once for each state of a segment,
 * because the statistics of every query need them, and there may be many tombstones between two merges.
 */
export function tombstonesIn(list: PostingList, tombstones: Uint32Array): Uint32Array {
  const before = known.get(list)
  if (before?.tombstones === tombstones) return before.held
  const held: number[] = []
  const ordinals = new Uint32Array(BLOCK)
  let block = -1
  let size = 0
  for (const ordinal of tombstones) {
    const at = list.blockOf(ordinal)
    if (at === list.blocks) break
    if (at !== block) {
      block = at
      size = list.ordinals(block, ordinals)
    }
    const index = lowerBound(ordinals, size, ordinal)
    if (index < size && ordinals[index] === ordinal) held.push(ordinal)
  }
  const found = Uint32Array.from(held)
  known.set(list, { tombstones, held: found })
  return found
}
