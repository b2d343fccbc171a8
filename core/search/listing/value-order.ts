import type { ValueName } from '../fields/values-as-of.ts'
import type { Position } from './cursor.ts'

/**
 * An order of captures by a number, an instant or a date. Of several values the least counts in ascending order, the greatest in
 * descending order. Captures without a value come last. Equal values are ordered by newer `acquiredAt`, then by URL.
 */
export interface ValueOrder {
  name: ValueName
  isDescending: boolean
  /** Captures up to this position, including it, are left out. */
  after?: Position | undefined
}
