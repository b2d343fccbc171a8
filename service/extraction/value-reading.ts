import { foldWord } from '@asof/core/internal'
import { fieldKinds } from '@asof/extract/field-kinds'
import { decodeHTML } from '@asof/extract/internal'
import { readInstant } from '@asof/extract/timestamp'
import { type DayOrder, parseDeclaredDate, parseTextDate, type WrittenDate } from '@asof/extract/written-dates'
import { numeralsIn } from './numerals.ts'
import type { LeafSchema, Scalar } from './value-schema.ts'

/** How a page writes numbers and dates. */
export interface Conventions {
  /** The decimal separator of its language; undefined if it is unknown. */
  decimal: string | undefined
  /** The order of day and month in dates such as 03/04/2020. */
  order: DayOrder
}

/** Maximum length of a text that is read as anything but a string, UTF-16 units. */
const MAX_UNITS = 200

/**
 * Reads a text that a reader of the page sees as a value of a schema.
 *
 * @param text - without marks of Markdown.
 * @returns undefined if the text does not have a value of the schema. Where a number is expected, that includes a text with two numbers, and a
 *   text that may mean two numbers, such as `1.299`.
 */
export function readValue(text: string, schema: LeafSchema, conventions: Conventions): Scalar | undefined {
  const plain = collapsed(text)
  if (plain === '' || (isRead(schema) && plain.length > MAX_UNITS)) return undefined
  if (schema.type === 'number' || schema.type === 'integer') {
    const [only, ...others] = numeralsIn(plain, conventions.decimal)
    const [value, ...readings] = others.length === 0 ? (only?.readings ?? []) : []
    return readings.length > 0 ? undefined : fitting(value, schema)
  }
  return readWord(plain, schema, conventions, parseTextDate)
}

/** Reads a value that structured data declares, in the form of software or as pages write it. */
export function readDeclared(given: unknown, schema: LeafSchema, conventions: Conventions): Scalar | undefined {
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean') return undefined
  if (typeof given === 'boolean') return schema.type === 'boolean' ? fitting(given, schema) : undefined
  const plain = declaredText(given)
  if (schema.type === 'number' || schema.type === 'integer')
    return MACHINE_NUMBER.test(plain) ? fitting(Number(plain), schema) : readValue(plain, schema, conventions)
  return plain === '' ? undefined : readWord(plain, schema, conventions, declaredDate)
}

const MACHINE_NUMBER = /^-?\d{1,15}(?:\.\d{1,12})?$/

type ReadDate = (text: string, order: DayOrder) => WrittenDate | undefined

function readWord(text: string, schema: LeafSchema, { order }: Conventions, readDate: ReadDate): Scalar | undefined {
  const { type, format } = schema
  if (type === 'boolean')
    return fitting(
      fieldKinds.boolean.fromPage(text, text, () => undefined),
      schema,
    )
  if (format === 'uri') return isAddress(text) ? fitting(text, schema) : undefined
  if (format === undefined) return fitting(text, schema)
  const date = readDate(text, order)
  return date && fitting(written(date, format), schema)
}

/** Returns a date in the form of a format; undefined if the date is less precise than the format, because nothing is made up. */
export function written({ iso, precision }: WrittenDate, format: 'date' | 'date-time'): string | undefined {
  if (precision === 'year' || precision === 'month') return undefined
  if (format === 'date') return iso.slice(0, 10)
  if (precision === 'day') return undefined
  return /(?:Z|[+-]\d\d:\d\d)$/.test(iso) ? iso : `${iso}Z`
}

/** Reads a date as software writes it, also before 1990, where the reader of publish dates ends. */
function declaredDate(text: string, order: DayOrder): WrittenDate | undefined {
  const found = parseDeclaredDate(text, order)
  if (found || !/^\d{4}-\d\d-\d\d/.test(text) || typeof readInstant(text, 'start') !== 'number') return found
  return { iso: text, precision: text.length > 10 ? 'minute' : 'day' }
}

/** Returns a value if its schema allows it: the value that `enum` has for it, whatever its letter case and its spaces. */
function fitting(value: unknown, schema: LeafSchema): Scalar | undefined {
  const { type, allowed, limits } = schema
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = limits
    if (type === 'integer' && !Number.isSafeInteger(value)) return undefined
    if (!Number.isFinite(value) || value < (minimum ?? value) || value > (maximum ?? value)) return undefined
    if (
      value <= (exclusiveMinimum ?? Number.NEGATIVE_INFINITY) ||
      value >= (exclusiveMaximum ?? Number.POSITIVE_INFINITY)
    )
      return undefined
  } else if (typeof value === 'string') {
    if (!allowed && (value.length < (limits.minLength ?? 0) || value.length > (limits.maxLength ?? value.length)))
      return undefined
  } else if (typeof value !== 'boolean') return undefined
  if (!allowed) return value
  return allowed.find(one => one === value) ?? (typeof value === 'string' ? allowedAs(value, allowed) : undefined)
}

function allowedAs(text: string, allowed: readonly Scalar[]): Scalar | undefined {
  const sought = squeezed(text.replace(ENUMERATION, ''))
  const [only, ...others] = allowed.filter(one => typeof one === 'string' && squeezed(one) === sought)
  return others.length === 0 ? only : undefined
}

/** What precedes the name in the address of a value of a schema.org enumeration. */
const ENUMERATION = /^https?:\/\/(?:www\.)?schema\.org\/(?=\w+$)/i

function squeezed(text: string): string {
  return foldedWords(text).join('')
}

/** Returns the words of a text in lower case and without accents and punctuation. `datePublished` and `date_published` have two each. */
export function foldedWords(text: string): string[] {
  const parts = text.slice(0, MAX_UNITS).match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu) ?? []
  return parts.map(part => foldWord(part))
}

/** Returns the text of a declared value. Templates often write character references such as `&amp;` into JSON, so they are decoded. */
export function declaredText(given: string | number): string {
  return collapsed(typeof given === 'string' && given.includes('&') ? decodeHTML(given) : String(given))
}

function collapsed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text)
}

/** True if a text is read for a value in it, and not taken as a whole. */
export function isRead({ type, format, allowed }: LeafSchema): boolean {
  return type !== 'string' || format !== undefined || allowed !== undefined
}
