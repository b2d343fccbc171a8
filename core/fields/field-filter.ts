import { AsofError, invalidOption, isGiven, isPlainObject, shown } from '@asof/extract/errors'
import { inexact, isInexactInteger } from '@asof/extract/exact-json'
import {
  allKinds,
  type FieldItem,
  fieldKinds,
  formsInWords,
  kindOfItem,
  kindsInWords,
  NoValue,
  RefusedValue,
} from '@asof/extract/field-kinds'
import type { FieldScalar } from '@asof/extract/page'
import { type FieldType, isFieldName } from '@asof/extract/page'
import { type DateInJson, dateInJson, describeItem } from './field-values.ts'

/** A value in a filter. An instant is a `Date`, or `{ $date }` in JSON. */
export type FilterValue = FieldScalar | DateInJson

/**
 * A bound of a range. An instant may also be a string in any form of a `TimeInput`, including deltas.
 */
export type FilterBound = Exclude<FilterValue, boolean>

/** Bounds on the value of a field. */
export interface FieldRange {
  /** Less than. */
  lt?: FilterBound
  /** At most. */
  lte?: FilterBound
  /** Greater than. */
  gt?: FilterBound
  /** At least. */
  gte?: FilterBound
}

/** A condition on one field: a value, one of several values, a range, a prefix of a keyword, or the existence of a value. */
export type FieldCondition =
  | FilterValue
  | readonly FilterValue[]
  | FieldRange
  | { prefix: string }
  | { exists: boolean }

/**
 * Conditions that a page must all fulfill. A field with several values fulfills a condition if one of its values does. A page
 * without the field fulfills only `{ exists: false }`.
 */
export interface FieldFilter {
  /** The page must fulfill at least one of these filters. */
  any?: readonly FieldFilter[]
  /** The page must fulfill all of these filters. */
  all?: readonly FieldFilter[]
  /** The page must not fulfill this filter. */
  not?: FieldFilter
  [field: string]: FieldCondition | FieldFilter | readonly FieldFilter[] | undefined
}

/** A value in a parsed filter, with its path in the filter. */
export interface ParsedValue {
  path: string
  value: FieldItem
}

/** A bound in a parsed filter. */
export interface ParsedBound extends ParsedValue {
  name: (typeof boundNames)[number]
}

/**
 * A condition on one field, with the path of the field in the filter. The comparison of values depends on the type of the field, which
 * is not known yet.
 */
export type ParsedCondition = { field: string; path: string } & (
  | { kind: 'values'; values: readonly ParsedValue[] }
  | { kind: 'range'; bounds: readonly ParsedBound[] }
  | { kind: 'prefix'; prefix: { path: string; value: string } }
  | { kind: 'exists' }
)

/** A parsed filter. It is plain data, so it can be sent to a search thread. */
export type ParsedFilter =
  | { kind: 'all' | 'any'; parts: readonly ParsedFilter[] }
  | { kind: 'not'; part: ParsedFilter }
  | ParsedCondition

/** Maximum nesting depth of a filter, and maximum number of its conditions and values together. */
export const MAX_DEPTH = 16
export const MAX_CONDITIONS = 1_024

const boundNames = ['lt', 'lte', 'gt', 'gte'] as const

/**
 * Parses a filter.
 *
 * @throws ASOF_INVALID_OPTION - `details.field` is the path of the wrong part.
 */
export function parseFilter(filter: FieldFilter): ParsedFilter {
  try {
    return new FilterParser().filter(filter, 'filter', 1)
  } catch (cause) {
    if (cause instanceof AsofError) throw cause
    // A getter or proxy in the caller's object threw.
    const details = { field: 'filter' }
    throw new AsofError('ASOF_INVALID_OPTION', 'filter cannot be read', { cause, details })
  }
}

/** True if a filter has a range, a prefix or `exists`. Very many values may fulfill such a condition. */
export function hasRange(filter: ParsedFilter): boolean {
  if (filter.kind === 'values') return false
  if (filter.kind === 'not') return hasRange(filter.part)
  return filter.kind === 'all' || filter.kind === 'any' ? filter.parts.some(hasRange) : true
}

class FilterParser {
  #conditions = 0

  filter(given: unknown, path: string, depth: number): ParsedFilter {
    if (!isPlainObject(given)) throw invalidOption(path, `must be a plain object, not ${shown(given)}`)
    if (depth > MAX_DEPTH) throw invalidOption(path, `is nested more than ${MAX_DEPTH} deep`)
    const parts = Object.entries(given).flatMap(([name, condition]): ParsedFilter[] => {
      if (condition === undefined) return []
      const at = `${path}.${name}`
      if (name === 'not') return [{ kind: 'not', part: this.filter(condition, at, depth + 1) }]
      if (name === 'any' || name === 'all') {
        if (!Array.isArray(condition)) throw invalidOption(at, `must be a list of filters, not ${shown(condition)}`)
        if (condition.length > MAX_CONDITIONS) throw invalidOption(at, `has more than ${MAX_CONDITIONS} filters`)
        return [{ kind: name, parts: condition.map((part, i) => this.filter(part, `${at}[${i}]`, depth + 1)) }]
      }
      if (!isFieldName(name)) throw invalidOption(at, 'is not a name of a field: letters, digits, _, - and .')
      return [this.#condition(name, condition, at)]
    })
    this.#count(path)
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'all', parts }
  }

  #condition(field: string, given: unknown, path: string): ParsedFilter {
    if (Array.isArray(given)) {
      if (given.length > MAX_CONDITIONS) throw invalidOption(path, `has more than ${MAX_CONDITIONS} values`)
      return { kind: 'values', field, path, values: given.map((value, i) => this.#value(value, `${path}[${i}]`)) }
    }
    if (!isObject(given) || isValue(given)) return { kind: 'values', field, path, values: [this.#value(given, path)] }
    const names = Object.keys(given).filter(name => isGiven(given[name]))
    const [name] = names
    if (names.length === 1 && name === 'exists') {
      const { exists } = given
      if (typeof exists !== 'boolean')
        throw invalidOption(`${path}.exists`, `must be true or false, not ${shown(exists)}`)
      const present: ParsedFilter = { kind: 'exists', field, path }
      return exists ? present : { kind: 'not', part: present }
    }
    if (names.length === 1 && name === 'prefix') {
      const { prefix } = given
      if (typeof prefix !== 'string')
        throw wrongValue(`${path}.prefix`, prefix, 'keyword', `is ${shown(prefix)}; a prefix must be a string`)
      const at = `${path}.prefix`
      return { kind: 'prefix', field, path, prefix: { path: at, value: keyword(prefix, at) } }
    }
    const other = names.find(name => !(boundNames as readonly string[]).includes(name))
    if (names.length === 0 || other !== undefined) {
      const what = other === undefined ? 'has no condition' : `has the unknown condition ${shown(other)}`
      throw invalidOption(
        path,
        `${what}; a condition is a value, a list of values, { lt, lte, gt, gte }, { prefix } or { exists }`,
      )
    }
    return { kind: 'range', field, path, bounds: this.#bounds(given, path) }
  }

  #value(given: unknown, path: string): ParsedValue {
    this.#count(path)
    const value = itemOf(given, path)
    // The number may stand for another integer that the caller meant.
    if (typeof value === 'number' && isInexactInteger(String(value)))
      throw wrongValue(path, value, 'number', `${inexact(String(value))}, or use a range`)
    return { path, value }
  }

  #bounds(given: Record<string, unknown>, path: string): ParsedBound[] {
    const bounds = boundNames.flatMap((name): ParsedBound[] => {
      if (!isGiven(given[name])) return []
      const at = `${path}.${name}`
      this.#count(at)
      const value = itemOf(given[name], at)
      const kind = kindOfItem(value)
      if (kind.isUnordered)
        throw wrongValue(
          at,
          value,
          kind.name,
          `is ${describeItem(value, kind)}; ${kindsInWords([kind])} have no ranges: a bound must be a number, a time or a string`,
        )
      return [{ path: at, name, value }]
    })
    if (new Set(bounds.map(({ value }) => typeof value === 'number')).size > 1)
      throw invalidOption(path, 'has bounds of different types')
    return bounds
  }

  #count(path: string): void {
    this.#conditions++
    if (this.#conditions > MAX_CONDITIONS)
      throw invalidOption(path, `is one of more than ${MAX_CONDITIONS} conditions and values`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The kinds of fields whose values can be written in a filter. */
const kinds = allKinds.filter(({ forms }) => forms.filter !== undefined)
const FORMS = formsInWords(kinds.flatMap(({ forms }) => forms.filter ?? []))

/** True if an object is a value, as opposed to a condition. */
function isValue(given: object): boolean {
  return '$date' in given || kinds.some(kind => kind.accept(given) !== undefined)
}

function itemOf(given: unknown, path: string): FieldItem {
  if (typeof given === 'string') return keyword(given, path)
  const value = instantInJson(given, path) ?? given
  for (const kind of kinds) {
    const item = kind.accept(value)
    if (item === undefined || item instanceof NoValue) continue
    // JSON has no bigint.
    if (item instanceof RefusedValue)
      throw wrongValue(path, typeof value === 'bigint' ? String(value) : value, kind.name, item.reason)
    return item
  }
  if (value === null) throw invalidOption(path, 'is null; write { "exists": false } for pages without the field')
  throw invalidOption(path, `must be ${FORMS}, not ${shown(value)}`)
}

/** Reads `{ $date }`. Reports an invalid time as ASOF_INVALID_OPTION, like any other invalid part of a filter. */
function instantInJson(value: unknown, path: string): Date | undefined {
  try {
    return dateInJson(value, path)
  } catch (cause) {
    if (!(cause instanceof AsofError)) throw cause
    const details = { field: path, value: cause.details?.value, type: 'instant' satisfies FieldType }
    throw new AsofError('ASOF_INVALID_OPTION', cause.message, { cause, details })
  }
}

/** Returns the error for a value whose type does not fit its condition. */
function wrongValue(path: string, value: unknown, type: FieldType, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', `${path} ${reason}`, { details: { field: path, value, type } })
}

/** Checks a string, and returns it. It must be valid as a keyword, because strings of other kinds, such as times, are never longer. */
function keyword(text: string, path: string): string {
  const read = fieldKinds.keyword.accept(text)
  if (read instanceof RefusedValue) throw invalidOption(path, read.reason)
  return text
}
