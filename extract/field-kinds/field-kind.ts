import type { FieldScalar, FieldText, FieldType } from '../page.ts'

/** One value of a field, as callers give and get it. */
export type FieldItem = FieldScalar | FieldText

/**
 * One value of a field, as it is stored in JSON. If the values of a kind are objects, their property has a name that no other kind uses.
 */
export type StoredValue = string | number | boolean | Readonly<Record<string, string | number>>

/** The result for a value that has the form of a kind but is not valid, such as an invalid `Date`. */
export class RefusedValue {
  /** The end of a sentence whose subject is the value, such as "is an invalid Date". */
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** A value that stands for no value, such as NaN. */
export class NoValue extends RefusedValue {}

/**
 * The definition of a field kind: all that differs between kinds. Optional properties that are left out are false, or do not apply.
 *
 * @typeParam V - a value as callers give and get it. It is JSON, or a `Date`, which is `{ $date }` in JSON.
 * @typeParam S - a value as it is stored.
 */
export interface FieldKind<V extends FieldItem = FieldItem, S extends StoredValue = StoredValue> {
  readonly name: FieldType
  /** The letter of the kind in the terms of its values. It is stored. */
  readonly letter: string
  /**
   * How errors describe the values of the kind, and those that a filter accepts. Without `filter`, filters cannot contain values of the
   * kind.
   */
  readonly forms: { readonly value: string; readonly filter?: string }
  /** Maximum length of a value that is read from a page, UTF-16 units. Default 256. */
  readonly maxUnits?: number
  /**
   * Present if the values are numbers in the index, by which results can be ordered and counted in buckets. Buckets of `number` have a
   * width. Values of `time` are epoch ms, and their buckets are periods of the calendar; filters write them in any form of a time.
   */
  readonly scale?: 'number' | 'time'
  /** True if filters cannot ask for a range of its values. */
  readonly isUnordered?: true
  /** True if filters and facets find values by their first characters. */
  readonly hasBeginnings?: true
  /** True if a value is found as a whole, and also by its words in searches that give the field a weight. */
  readonly hasWordsInValues?: true
  /** The properties of schema.org whose values are of this kind, separated by white space. */
  readonly properties?: string

  /** Reads a value of a caller. Returns undefined for a value of another kind. */
  accept(value: unknown): V | RefusedValue | undefined
  store(value: V): S
  /** True if a stored value is of this kind. */
  isStored(stored: StoredValue): boolean
  show(stored: S): V
  /** Returns the part of a value's term after the letter. A number is written so that terms sort like numbers. */
  toTerm(stored: S): string | number
  /** Returns the value of a term, or the beginning of a bucket, as a facet shows it. */
  fromTerm(term: string | number): string | number | boolean
  /**
   * Returns the text whose words are indexed. Only the kind `text` has this function: the terms of words contain the letter of this one
   * kind, and its values have no terms of their own.
   */
  indexedText?(stored: S): string
  /**
   * Reads a value of a query. Returns undefined if the text is not a value of this kind. A kind with a scale of time does not need this
   * function.
   */
  fromText?(text: string): V | RefusedValue | undefined
  /**
   * Reads a value of an imported record, such as a cell of a CSV file. Returns what `add` accepts, or undefined if the value is not of this
   * kind.
   */
  fromRecord(value: unknown): unknown
  /**
   * Reads a value of a page. Returns undefined if the value is not of this kind.
   *
   * @param text - the value as text, white space collapsed.
   * @param given - the value itself.
   * @param dateIn - returns the date that a text of the page states, if any: ISO 8601. An argument, because it needs the names of months in
   *   all languages, which the engine does not load until a page is extracted.
   */
  fromPage(text: string, given: string | number | boolean, dateIn: (text: string) => string | undefined): V | undefined
}
