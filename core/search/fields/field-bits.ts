import { BLOCK } from '../../bytes/bit-packing.ts'
import { type FilterNode, fulfills, type TermRange } from '../../fields/field-filter.ts'
import { numberOfSortable, termsOfFields, typedPrefix } from '../../fields/field-terms.ts'
import { revisedFields } from '../../fields/field-types.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import type { Segment } from '../../segment/segment.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { numberColumn } from './number-column.ts'

/** A set of captures of a segment: one bit for each ordinal. */
export type CaptureBits = Uint32Array

/** Maximum number of sets that are kept for a segment. */
const MOST_SETS = 8

const ordinals = new Uint32Array(BLOCK)
/** By segment, or by its revisions if it has some, because these replace values. */
const known = new WeakMap<object, Map<string, CaptureBits>>()

/** The captures of a segment that fulfill a filter as of an instant. The sets that were used last are kept. */
export function fieldBits(segment: Segment, filter: FilterNode, instant: number): CaptureBits {
  const { revisions } = segment
  const owner = revisions ?? segment
  const sets = known.get(owner) ?? new Map<string, CaptureBits>()
  known.set(owner, sets)
  const name = `${revisions ? instant : ''}${JSON.stringify(filter)}`
  const before = sets.get(name)
  sets.delete(name)
  const bits = before ?? computedBits(segment, filter, instant)
  sets.set(name, bits)
  for (const oldest of sets.keys()) {
    if (sets.size <= MOST_SETS) break
    sets.delete(oldest)
  }
  return bits
}

/** True if a set has a capture. */
export function hasBit(bits: CaptureBits, ordinal: number): boolean {
  return (bits[ordinal >>> 5]! & (1 << (ordinal & 31))) !== 0
}

function newBits({ captures }: Segment): CaptureBits {
  return new Uint32Array((captures + 31) >>> 5)
}

function computedBits(segment: Segment, filter: FilterNode, instant: number): CaptureBits {
  const bits = acquiredBits(segment, filter)
  if (!segment.revisions) return bits
  for (const { ordinal, row } of segment.revisions.validAt(instant)) {
    const terms = termsOfFields(revisedFields(segment.revisions.fields(row).values))
    if (fulfills(filter, terms)) bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
    else bits[ordinal >>> 5]! &= ~(1 << (ordinal & 31))
  }
  return bits
}

/** The captures that fulfill a filter with their fields as acquired. */
function acquiredBits(segment: Segment, node: FilterNode): CaptureBits {
  checkSearchTime()
  if (node.kind === 'terms') {
    const bits = newBits(segment)
    for (const range of node.ranges) addRange(segment, range, bits)
    return bits
  }
  if (node.kind === 'not') {
    const bits = acquiredBits(segment, node.part)
    for (let i = 0; i < bits.length; i++) bits[i] = ~bits[i]!
    return bits
  }
  const [first, ...others] = node.parts
  if (!first) return node.kind === 'all' ? newBits(segment).fill(0xffff_ffff) : newBits(segment)
  const bits = acquiredBits(segment, first)
  for (const part of others) {
    const other = acquiredBits(segment, part)
    if (node.kind === 'all') for (let i = 0; i < bits.length; i++) bits[i]! &= other[i]!
    else for (let i = 0; i < bits.length; i++) bits[i]! |= other[i]!
  }
  return bits
}

function addRange(segment: Segment, range: TermRange, bits: CaptureBits): void {
  const { from, to, fromOpen, type } = range
  if (from === to) {
    const found = segment.term(from)
    if (found && !fromOpen && !range.toOpen) addList(found.list, bits)
    return
  }
  if (type === 'number' || type === 'instant') {
    addNumbers(segment, range, bits)
    return
  }
  for (const entry of segment.dictionary.entries(from)) {
    checkSearchTime()
    if (range.prefix ? !entry.term.startsWith(from) : entry.term > to || (range.toOpen && entry.term === to)) return
    if (!fromOpen || entry.term !== from) addList(segment.list(entry), bits)
  }
}

/** Adds the captures with a number in a range, which the column of the field finds faster than very many terms. */
function addNumbers(
  segment: Segment,
  { field, type = 'number', from, to, fromOpen, toOpen }: TermRange,
  bits: CaptureBits,
): void {
  const prefix = typedPrefix(field, type)
  // A range without a lower bound begins with the prefix alone, and one without an upper bound ends with U+FFFF.
  const low = from === prefix ? Number.NEGATIVE_INFINITY : numberOfSortable(from.slice(prefix.length))
  const high = to.endsWith('\uffff') ? Number.POSITIVE_INFINITY : numberOfSortable(to.slice(prefix.length))
  const isIn = (value: number): boolean =>
    (fromOpen ? value > low : value >= low) && (toOpen ? value < high : value <= high)
  const column = numberColumn(segment, field, type)
  const { lowest, highest } = column
  for (let ordinal = 0; ordinal < lowest.length; ordinal++)
    if (isIn(lowest[ordinal]!) || isIn(highest[ordinal]!)) bits[ordinal >>> 5]! |= 1 << (ordinal & 31)
  for (let i = 0; i < column.ordinals.length; i++)
    if (isIn(column.values[i]!)) bits[column.ordinals[i]! >>> 5]! |= 1 << (column.ordinals[i]! & 31)
}

function addList(list: PostingList, bits: CaptureBits): void {
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, ordinals)
    for (let i = 0; i < size; i++) bits[ordinals[i]! >>> 5]! |= 1 << (ordinals[i]! & 31)
  }
}
