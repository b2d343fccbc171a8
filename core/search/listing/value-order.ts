import type { ValueName } from '../fields/values-as-of.ts'
import type { Position } from './cursor.ts'

/** A number, an instant or a date, and a direction. */
export interface OrderKey {
  name: ValueName
  isDescending: boolean
}

/**
 * An order of captures by a number, an instant or a date. Of several values the least counts in ascending order, the greatest in
 * descending order. Captures without a value come last. Equal values are ordered by the further keys, then by newer `acquiredAt`, then by URL.
 */
export interface ValueOrder extends OrderKey {
  /** Further keys. Undefined if there are none. */
  further?: readonly OrderKey[] | undefined
  /** Captures up to this position, including it, are left out. */
  after?: Position | undefined
}
