import { BLOCK } from '../../bytes/bit-packing.ts'
import type { FilterNode, TermNode, TypedFilter } from '../../fields/typed-filter.ts'
import {
  hasBit,
  newBits,
  type OrdinalBits,
  type PackedBits,
  packBits,
  setBit,
  unpackBits,
} from '../../postings/ordinal-bits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { Revisions } from '../../segment/columns/revisions.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import type { Segment } from '../../segment/segment.ts'
import { fieldColumn, revisionsColumn } from './field-columns.ts'

/** Maximum number of sets that are cached for each segment, and for the revisions of each segment. */
const MAX_SETS = 8

const known = new WeakMap<object, Map<string, OrdinalBits>>()

/** Returns the set of the captures of a segment that fulfill a filter as of an instant. The sets that were used last are cached. */
export function fieldBits(segment: Segment, filter: TypedFilter, instant: number): OrdinalBits {
  const acquired = keep(segment, filter.key, () => new Evaluation(filter, capturesOf(segment)).bits(filter.root))
  const { revisions } = segment
  if (!revisions) return acquired
  return keep(revisions, `${instant} ${filter.key}`, () => {
    const rows = keep(revisions, filter.key, () => new Evaluation(filter, rowsOf(revisions)).bits(filter.root))
    const bits = acquired.slice()
    for (const { ordinal, row } of revisions.validAt(instant)) setBit(bits, ordinal, hasBit(rows, row))
    return bits
  })
}

/** Returns the set that is cached under a name. If there is none, makes it and caches it. */
function keep(owner: object, name: string, make: () => OrdinalBits): OrdinalBits {
  const sets = known.get(owner) ?? new Map<string, OrdinalBits>()
  known.set(owner, sets)
  const bits = sets.get(name) ?? make()
  sets.delete(name)
  sets.set(name, bits)
  for (const oldest of sets.keys()) {
    if (sets.size <= MAX_SETS) break
    sets.delete(oldest)
  }
  return bits
}

/** What a filter is evaluated on: the captures of a segment, or the rows of its revisions. */
interface Filtered {
  /** Number of captures or rows. */
  size: number
  /** Adds the captures or rows that fulfill a condition to a set. */
  add: (condition: TermNode, bits: OrdinalBits) => void
}

function capturesOf(segment: Segment): Filtered {
  return {
    size: segment.captures,
    add: ({ field, terms, ranges }, bits) => {
      if (ranges.length > 0) fieldColumn(segment, field).addRanges(ranges, bits)
      for (const term of terms) {
        checkSearchTime()
        const found = segment.term(term)
        if (found) addList(found.list, bits)
      }
    },
  }
}

function rowsOf(revisions: Revisions): Filtered {
  const column = revisionsColumn(revisions)
  return {
    size: revisions.ordinals.length,
    add: ({ terms, ranges }, bits) => {
      const exactly = terms.map(term => ({ prefix: term, to: { term, isOpen: false } }))
      column.addRanges([...ranges, ...exactly], bits)
    },
  }
}

/**
 * One evaluation of a filter. The different conditions with ranges are evaluated first, field by field. So the column of each field is built at
 * most once, wherever in the filter its conditions are. The sets of these conditions are packed, and take at most four bytes for each value that
 * the price of the filter counts (`checkPrice`).
 */
class Evaluation {
  readonly #filtered: Filtered
  readonly #ranges = new Map<TermNode, PackedBits>()

  constructor({ ranges }: TypedFilter, filtered: Filtered) {
    this.#filtered = filtered
    for (const conditions of ranges.values())
      for (const condition of conditions) this.#ranges.set(condition, packBits(this.#evaluate(condition)))
  }

  /** The set for a node of the filter. It must not be changed. */
  bits(node: FilterNode): OrdinalBits {
    checkSearchTime()
    if (node.kind === 'terms') return this.#condition(node)
    if (node.kind === 'not') return this.bits(node.part).map(word => ~word)
    const [first, ...others] = node.parts
    if (!first) return newBits(this.#filtered.size).fill(node.kind === 'all' ? 0xffff_ffff : 0)
    const bits = this.bits(first).slice()
    for (const part of others) {
      const other = this.bits(part)
      if (node.kind === 'all') for (let i = 0; i < bits.length; i++) bits[i]! &= other[i]!
      else for (let i = 0; i < bits.length; i++) bits[i]! |= other[i]!
    }
    return bits
  }

  #condition(condition: TermNode): OrdinalBits {
    const ranges = this.#ranges.get(condition)
    return ranges ? unpackBits(ranges, this.#filtered.size) : this.#evaluate(condition)
  }

  #evaluate(condition: TermNode): OrdinalBits {
    checkSearchTime()
    const bits = newBits(this.#filtered.size)
    this.#filtered.add(condition, bits)
    return bits
  }
}

const ordinals = new Uint32Array(BLOCK)

function addList(list: PostingList, bits: OrdinalBits): void {
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, ordinals)
    for (let i = 0; i < size; i++) setBit(bits, ordinals[i]!, true)
  }
}
