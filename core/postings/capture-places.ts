import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import { placeOf, positionOf } from '../segment/positions/place.ts'
import type { PositionBuffer, PositionList } from '../segment/positions/positions-codec.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import type { Segment } from '../segment/segment.ts'

const ordinals = new Uint32Array(BLOCK)

/** Reads the places of some terms in single captures of a segment. Each list is opened once. */
export class CapturePlaces {
  readonly #segment: Segment
  /** By term. Null if the segment does not hold the term. */
  readonly #lists = new Map<string, { list: PostingList; positions: PositionList } | null>()

  constructor(segment: Segment) {
    this.#segment = segment
  }

  /**
   * Reads the places of a term in a capture into `out`, ascending.
   *
   * @returns false if the term does not occur there.
   * @throws ASOF_STORE_CORRUPT
   */
  read(term: string, ordinal: number, out: PositionBuffer): boolean {
    const opened = this.#open(term)
    if (!opened) return false
    const { list, positions } = opened
    const block = list.blockOf(ordinal)
    if (block === list.blocks) return false
    const size = list.ordinals(block, ordinals)
    const index = lowerBound(ordinals, size, ordinal)
    if (index === size || ordinals[index] !== ordinal) return false
    return positions.places(block * BLOCK + index, out).count > 0
  }

  /**
   * Returns the first position of a term in a capture that is at least `position`. Infinity if the term does not occur from there on.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  firstFrom(term: string, ordinal: number, position: number): number {
    const out = { count: 0, values: new Uint32Array(BLOCK) }
    if (!this.read(term, ordinal, out)) return Number.POSITIVE_INFINITY
    const at = lowerBound(out.values, out.count, placeOf(position, 0))
    return at < out.count ? positionOf(out.values[at]!) : Number.POSITIVE_INFINITY
  }

  #open(term: string): { list: PostingList; positions: PositionList } | null {
    const known = this.#lists.get(term)
    if (known !== undefined) return known
    const found = this.#segment.term(term)
    const opened = found ? { list: found.list, positions: this.#segment.positions(found.entry) } : null
    this.#lists.set(term, opened)
    return opened
  }
}
