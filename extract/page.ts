/**
 * Where the publish date of a page was found. `header` is a publish header of a feed or mail archive, never
 * `Last-Modified`. New values must be appended here and in the next list, because indexes in these lists are stored.
 */
export const dateSources = [
  'json-ld',
  'meta',
  'microdata',
  'url',
  'time-element',
  'text',
  'feed',
  'header',
  'declared',
] as const
/** How exactly a publish date is known. */
export const datePrecisions = ['second', 'minute', 'day', 'month', 'year'] as const

/** The place where the publish date of a page was found. */
export type DateSource = (typeof dateSources)[number]

/** How exactly the publish date of a page was given. */
export type DatePrecision = (typeof datePrecisions)[number]

/** Kinds of pages, according to their structured data, declarations or form. */
export const pageKinds = ['article', 'product', 'forum', 'docs', 'listing', 'other'] as const

/** The kind of a page, according to its structured data, its declarations or its form. */
export type PageKind = (typeof pageKinds)[number]

/**
 * One item of structured data in the vocabulary of schema.org, from JSON-LD, microdata or OpenGraph, in the form of
 * JSON-LD.
 */
export type StructuredItem = Record<string, unknown>

/** One value of a field. A string is a keyword, which is only found as a whole. A `Date` is an instant. */
export type FieldScalar = string | number | boolean | Date

/** A text of a field, which is searched by its words like title and text. At most 10,000 UTF-16 units. */
export interface FieldText {
  $text: string
}

/** The value of a field: one value, or several of one type. */
export type FieldValue =
  | FieldScalar
  | FieldText
  | readonly string[]
  | readonly number[]
  | readonly boolean[]
  | readonly Date[]
  | readonly FieldText[]

/** The fields of a page by name. */
export type Fields = Readonly<Record<string, FieldValue>>

/** A link on a page. */
export interface PageLink {
  url: string
  text: string
  /** True if the link has `rel=nofollow`, `ugc` or `sponsored`. */
  nofollow: boolean
}

/** The type of a field. In an index, all values of a field have the same type. */
export type FieldType = 'keyword' | 'number' | 'boolean' | 'instant' | 'text'

/** Maximum number of fields of one page. */
export const MAX_FIELDS = 64
/** Maximum number of values of one field. */
export const MAX_VALUES = 256
/** Maximum length of a keyword, UTF-16 units. */
export const MAX_KEYWORD_UNITS = 256
/** Maximum length of one text, UTF-16 units. */
export const MAX_TEXT_UNITS = 10_000

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/
/** Names that a field cannot have: three have another meaning in filters, and `__proto__` is special in objects. */
const reserved = new Set(['all', 'any', 'not', '__proto__'])

/** True if a field can have this name. */
export function isFieldName(name: string): boolean {
  return NAME.test(name) && !reserved.has(name)
}
