import { BLOCK } from '../../bytes/bit-packing.ts'
import { numberOfSortable, typedPrefix } from '../../fields/field-terms.ts'
import type { FieldType } from '../../fields/field-values.ts'
import type { Segment } from '../../segment/segment.ts'
import { checkSearchTime } from '../postings/search-time.ts'

/** The numbers or instants of one field in one segment, by ordinal, as the captures were acquired. */
export interface NumberColumn {
  /** The lowest value; NaN if there is none. */
  lowest: Float64Array
  /** The highest value; the same array as `lowest` if no capture has several values. */
  highest: Float64Array
  /** Every value of the captures that have several: ordinal and value. */
  ordinals: Uint32Array
  values: Float64Array
}

/** Maximum number of columns that are kept for a segment. */
const MOST_COLUMNS = 4
/** Number of terms that are read between two checks of the search time. */
const BETWEEN_CHECKS = 256

const known = new WeakMap<Segment, Map<string, NumberColumn>>()
const ordinals = new Uint32Array(BLOCK)

/**
 * Reads the values of a field from its terms. They are in ascending order, so each capture gets its lowest value first. The
 * columns that were used last are kept, because a segment does not change.
 */
export function numberColumn(segment: Segment, field: string, type: FieldType): NumberColumn {
  const columns = known.get(segment) ?? new Map<string, NumberColumn>()
  known.set(segment, columns)
  const prefix = typedPrefix(field, type)
  const before = columns.get(prefix)
  columns.delete(prefix)
  const column = before ?? readColumn(segment, prefix)
  columns.set(prefix, column)
  for (const oldest of columns.keys()) {
    if (columns.size <= MOST_COLUMNS) break
    columns.delete(oldest)
  }
  return column
}

function readColumn(segment: Segment, prefix: string): NumberColumn {
  const lowest = new Float64Array(segment.captures).fill(Number.NaN)
  let highest = lowest
  const several: { ordinal: number; value: number }[] = []
  let read = 0
  for (const entry of segment.dictionary.entries(prefix)) {
    if (!entry.term.startsWith(prefix)) break
    if (++read % BETWEEN_CHECKS === 0) checkSearchTime()
    const value = numberOfSortable(entry.term.slice(prefix.length))
    const list = segment.list(entry)
    for (let block = 0; block < list.blocks; block++) {
      const size = list.ordinals(block, ordinals)
      for (let i = 0; i < size; i++) {
        const ordinal = ordinals[i]!
        if (Number.isNaN(lowest[ordinal]!)) {
          lowest[ordinal] = value
          if (highest !== lowest) highest[ordinal] = value
          continue
        }
        if (highest === lowest) highest = lowest.slice()
        if (highest[ordinal] === lowest[ordinal]) several.push({ ordinal, value: lowest[ordinal]! })
        several.push({ ordinal, value })
        highest[ordinal] = value
      }
    }
  }
  return {
    lowest,
    highest,
    ordinals: Uint32Array.from(several, ({ ordinal }) => ordinal),
    values: Float64Array.from(several, ({ value }) => value),
  }
}
