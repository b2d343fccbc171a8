import { fieldKinds } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'
import { lowerBound } from '../../bytes/binary-search.ts'
import { typedPrefix } from '../../fields/field-terms.ts'
import { hasBit, newBits, type OrdinalBits, setBit } from '../../postings/ordinal-bits.ts'
import { revisedAt } from '../../postings/revised-at.ts'
import type { Revisions } from '../../segment/columns/revisions.ts'
import type { Segment } from '../../segment/segment.ts'
import type { ValueName } from '../collection/value-order.ts'
import { dateColumn, fieldColumn, revisedColumn, revisedDates } from './field-columns.ts'
import type { TermColumn, TermsOfCaptures } from './term-column.ts'

/**
 * The values of captures as they were acquired. Those of a capture with a valid revision do not count: the values of the revision do, see
 * {@link RevisedValues}.
 */
export interface AcquiredValues {
  column: TermColumn
  termsOf: TermsOfCaptures
}

/** The values of the revisions that are valid at an instant. The items of the column are rows of the revisions. */
interface RevisedValues extends AcquiredValues {
  /** The revised captures, ascending, and the row that is valid for each. */
  ordinals: Uint32Array
  rows: Uint32Array
  /** The rows that are valid. */
  valid: OrdinalBits
  /** The revised captures. */
  bits: OrdinalBits
  /** The capture of each row. */
  ordinalOfRow: Uint32Array
}

/** The values of one field that the captures of a segment have as of an instant. */
export class ValuesAsOf {
  readonly acquired: AcquiredValues
  readonly revised: RevisedValues | undefined

  constructor(segment: Segment, name: ValueName, instant: number) {
    const { revisions, captures } = segment
    const column = 'date' in name ? dateColumn(segment, name.date) : ofType(fieldColumn(segment, name.field), name)
    this.acquired = { column, termsOf: column.termsOfCaptures(captures) }
    this.revised = revisions && revisedValues(revisions, name, instant, captures)
  }

  /**
   * The least or the greatest number or instant of a capture; NaN if it has none. Only for columns with numbers or instants.
   */
  extreme(ordinal: number, isGreatest: boolean): number {
    const { revised } = this
    if (!revised || !hasBit(revised.bits, ordinal)) return extremeOf(this.acquired, ordinal, isGreatest)
    const row = revised.rows[lowerBound(revised.ordinals, revised.ordinals.length, ordinal)]!
    return extremeOf(revised, row, isGreatest)
  }
}

function extremeOf({ column, termsOf: { ends, numbers } }: AcquiredValues, item: number, isGreatest: boolean): number {
  const from = item === 0 ? 0 : ends[item - 1]!
  const to = ends[item]!
  return from === to ? Number.NaN : column.values![numbers[isGreatest ? to - 1 : from]!]!
}

/** Returns the terms of a column that have the type of the field. Purged and expired captures may have left terms of another type. */
function ofType(column: TermColumn, { field, type }: { field: string; type: FieldType }): TermColumn {
  return fieldKinds[type].scale !== undefined && !column.values ? column.part(typedPrefix(field, type)) : column
}

function revisedValues(
  revisions: Revisions,
  name: ValueName,
  instant: number,
  captures: number,
): RevisedValues | undefined {
  // A revision has no new text, so it does not change when the text was acquired.
  if ('date' in name && name.date === 'acquiredAt') return undefined
  const { ordinals, rows } = revisedAt(revisions, instant)
  if (ordinals.length === 0) return undefined
  const column = 'date' in name ? revisedDates(revisions) : ofType(revisedColumn(revisions, name.field), name)
  const bits = newBits(captures)
  for (const ordinal of ordinals) setBit(bits, ordinal, true)
  const valid = newBits(revisions.ordinals.length)
  for (const row of rows) setBit(valid, row, true)
  const termsOf = column.termsOfCaptures(revisions.ordinals.length)
  return { column, termsOf, ordinals, rows, valid, bits, ordinalOfRow: revisions.ordinals }
}
