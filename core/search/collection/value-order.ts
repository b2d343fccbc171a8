import { type FieldKind, fieldKinds } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'

/** Dates that every capture may have, besides the fields of its page. They take part in sorting and facets like fields with an instant. */
export type DateName = 'publishedAt' | 'acquiredAt'

/** The position of a capture in an order by value. The next page begins immediately after it. */
export interface Position {
  /** The value of the first key. Null for a capture without a value. */
  value: number | null
  /** The values of the keys after the first one, null for a capture without a value. Undefined if the order has only one key. */
  further?: readonly (number | null)[] | undefined
  /** Epoch ms. */
  acquiredAt: number
  url: string
}

/** A field of pages, or a date that every capture may have, with its type as of an instant. */
export type ValueName = { field: string; type: FieldType } | { date: DateName }

/** Returns the kind of the values of a field or a date. */
export function fieldKindOf(value: ValueName): FieldKind {
  return fieldKinds['date' in value ? 'instant' : value.type]
}

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
