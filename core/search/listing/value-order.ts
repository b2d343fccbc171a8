import type { ValueName } from '../fields/values-as-of.ts'
import type { Position } from './cursor.ts'

/** A key of an order: the value to order by (a number, an instant or a date) and the direction. */
export interface OrderKey {
  name: ValueName
  isDescending: boolean
}

/**
 * An order of captures by a number, an instant or a date. Of several values the least counts in ascending order, the greatest in
 * descending order. Captures without a value come last. Equal values are ordered by the further keys, then by newer `acquiredAt`, then by URL.
 */
export interface ValueOrder extends OrderKey {
  /** The keys after the first one. Undefined if there is only one key. */
  further?: readonly OrderKey[] | undefined
  /** Captures up to this position, including it, are left out. */
  after?: Position | undefined
}
