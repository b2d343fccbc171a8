import type { FieldItem } from '../field-kinds/field-kind.ts'
import { fieldKinds } from '../field-kinds/field-kinds.ts'
import { collapse } from '../html/html-tree.ts'
import type { FieldType } from '../page.ts'
import { type DayOrder, parseMachineDate, parseTextDate } from '../written-dates/date-text.ts'

/** Maximum length of a text in which a value is looked for, UTF-16 units, unless its kind has another one. */
const MAX_VALUE_UNITS = 256
/** Maximum length of a text with its white space, UTF-16 units. */
const MAX_RAW_UNITS = 16_384

/**
 * Reads a value of a page as a type.
 *
 * @param order - the order of day and month in ambiguous dates of the page.
 * @returns undefined if the value cannot be read as the type, or is too long.
 */
export function typedValue(value: unknown, type: FieldType, order: DayOrder): FieldItem | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const raw = String(value)
  if (raw.length > MAX_RAW_UNITS) return undefined
  const kind = fieldKinds[type]
  // White space must be collapsed before the length is tested: a text that is cut first may seem short enough.
  const text = collapse(raw.toWellFormed())
  if (text === '' || text.length > (kind.maxUnits ?? MAX_VALUE_UNITS)) return undefined
  return kind.fromPage(text, value, date => (parseMachineDate(date) ?? parseTextDate(date, order))?.iso)
}
