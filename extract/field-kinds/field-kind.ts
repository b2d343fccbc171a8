import type { FieldScalar, FieldText, FieldType } from '../page.ts'

/** One value of a field, as callers give and get it. */
export type FieldItem = FieldScalar | FieldText

/** One value of a field, as it is stored in JSON. A kind whose values are objects has a property of its own in them. */
export type StoredValue = string | number | boolean | Readonly<Record<string, string | number>>

/** A value that has the form of a kind and is none of its values. */
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
 * What the kinds of fields differ in. Optional properties that are left out are false, or do not apply.
 *
 * @typeParam V - a value as callers give and get it. It is JSON, or a `Date`, which is `{ $date }` in JSON.
 * @typeParam S - a value as it is stored.
 */
export interface FieldKind<V extends FieldItem = FieldItem, S extends StoredValue = StoredValue> {
  readonly name: FieldType
  /** The letter of the kind in the terms of its values. It is stored. */
  readonly letter: string
  /** How errors describe its values. `filter` describes those that a filter accepts; a kind without it has no values in filters. */
  readonly forms: { readonly value: string; readonly filter?: string }
  /** Maximum length of a value that is read from a page, UTF-16 units. Default 256. */
  readonly maxUnits?: number
  /**
   * Values with a scale are numbers in the index: they order results and are counted in buckets. Buckets of `number` have a width. Values of
   * `time` are epoch ms, have the periods of the calendar as buckets, and filters write them in all forms of a time.
   */
  readonly scale?: 'number' | 'time'
  /** True if there are no ranges of its values. */
  readonly isUnordered?: true
  /** True if filters and facets find values by their first characters. */
  readonly hasBeginnings?: true
  /** True if its values are found as a whole, and by their words where a search gives the field a weight. */
  readonly hasWordsInValues?: true
  /** The properties of schema.org that have such values, separated by white space. */
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
   * Returns the text whose words are indexed. Only the kind `text` has it: the terms of words have the letter of this one kind, and its values
   * have no terms of their own.
   */
  indexedText?(stored: S): string
  /** Reads a value of a query. Returns undefined if the text is none. A kind with a scale of time does not need it. */
  fromText?(text: string): V | RefusedValue | undefined
  /**
   * Reads a value of an imported record, such as a cell of a CSV file. Returns what `add` accepts, or undefined if the value is not of this
   * kind.
   */
  fromRecord(value: unknown): unknown
  /**
   * Reads a value of a page. Returns undefined if the value is not of this kind.
   *
   * @param text - the value as text, white space collapsed. @param given - the value itself.
   * @param dateIn - returns the date that a text of the page states, if any: ISO 8601. An argument, because it needs the names of months in
   *   all languages, which the engine does not load until a page is extracted.
   */
  fromPage(text: string, given: string | number | boolean, dateIn: (text: string) => string | undefined): V | undefined
}
