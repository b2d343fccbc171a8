import { ByteWriter } from '../../bytes/byte-buffer.ts'
import { popCount } from '../../bytes/pop-count.ts'
import type { OrdinalBits } from '../../postings/ordinal-bits.ts'
import { PostingList } from '../../segment/postings/posting-list.ts'
import { encodePostings } from '../../segment/postings/postings-codec.ts'
import { IMPACT_STEPS } from '../../segment/ranking-model.ts'
import type { Segment } from '../../segment/segment.ts'

/** A filter becomes a posting list if less than one in this many captures fulfills it. With the list, a search skips the other captures. */
const SELECTIVE = 16

/** Returns the saturation of impact 1, the lowest impact that a posting can have. */
const leastSaturation = (): number => 1 / IMPACT_STEPS

const known = new WeakMap<OrdinalBits, PostingList | number>()

/**
 * Returns the captures of a set as a posting list, if they are few. Then a search goes through this list instead of testing each capture that
 * its words find. The postings have the lowest impact, since the list adds nothing to scores.
 *
 * @returns the number of captures if they are many.
 */
export function selectiveList({ captures }: Segment, bits: OrdinalBits): PostingList | number {
  const list = known.get(bits) ?? listOf(bits, captures)
  known.set(bits, list)
  return list
}

function listOf(bits: OrdinalBits, captures: number): PostingList | number {
  const most = Math.floor(captures / SELECTIVE)
  const size = bits.reduce((sum, word) => sum + popCount(word), 0)
  // Up to 31 bits after that of the last capture may be set.
  if (size > most + 31) return Math.min(size, captures)
  const ordinals = new Uint32Array(size)
  let count = 0
  for (let i = 0; i < bits.length; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) {
      const ordinal = i * 32 + (31 - Math.clz32(word & -word))
      if (ordinal < captures) ordinals[count++] = ordinal
    }
  const out = new ByteWriter(64 + count * 4)
  const postings = {
    count,
    ordinals,
    frequencies: new Uint32Array(count).fill(1),
    positionLengths: new Uint32Array(0),
    positions: new Uint8Array(0),
  }
  encodePostings(postings, leastSaturation, out)
  return PostingList.decode(out.finish(), count, captures, leastSaturation)
}
