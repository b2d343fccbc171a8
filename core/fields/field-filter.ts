import { parseInstant } from '../dates/instant.ts'
import { AsofError } from '../errors.ts'
import { invalidOption, isPlainObject } from '../options.ts'
import type { FieldScalar } from '../page.ts'
import { shown } from '../shown-value.ts'
import { fieldsPrefix, sortableNumber, typedPrefix, valueTerm } from './field-terms.ts'
import { type FieldType, isFieldName } from './field-values.ts'

/** Bounds of a field. Instants may be written like all times of section 2.4 of the service contract. */
export interface FieldRange {
  lt?: number | Date | string
  lte?: number | Date | string
  gt?: number | Date | string
  gte?: number | Date | string
}

/** A condition on one field: a value, one of several values, a range, a prefix of a keyword, or that there is a value. */
export type FieldCondition =
  | FieldScalar
  | readonly FieldScalar[]
  | FieldRange
  | { prefix: string }
  | { exists: boolean }

/**
 * Conditions that a page must fulfill, all of them. A field with several values fulfills a condition if one of its values
 * does. A page without the field fulfills only `{ exists: false }`.
 */
export interface FieldFilter {
  /** At least one of these filters. */
  any?: readonly FieldFilter[]
  /** All of these filters. */
  all?: readonly FieldFilter[]
  /** Not this filter. */
  not?: FieldFilter
  [field: string]: FieldCondition | FieldFilter | readonly FieldFilter[] | undefined
}

/** Terms from `from` to `to`, both included unless open. With `prefix`, all terms that begin with `from`. */
export interface TermRange {
  field: string
  type: FieldType | undefined
  from: string
  to: string
  fromOpen?: boolean
  toOpen?: boolean
  prefix?: boolean
}

/** A filter in the form in which it is evaluated: plain data, so that it can be sent to a search thread. */
export type FilterNode =
  | { kind: 'all' | 'any'; parts: readonly FilterNode[] }
  | { kind: 'not'; part: FilterNode }
  | { kind: 'terms'; ranges: readonly TermRange[] }

/** Maximum depth of a filter, and maximum number of its conditions and values. */
export const MAX_DEPTH = 16
export const MAX_CONDITIONS = 1_024

const bounds = ['lt', 'lte', 'gt', 'gte'] as const

/** Parses a filter. @throws ASOF_INVALID_OPTION - `details.field` is the path to what is wrong. */
export function parseFilter(filter: FieldFilter): FilterNode {
  try {
    return new FilterParser().filter(filter, 'filter', 1)
  } catch (cause) {
    if (cause instanceof AsofError) throw cause
    // A getter or a proxy threw.
    const details = { field: 'filter' }
    throw new AsofError('ASOF_INVALID_OPTION', 'filter cannot be read', { cause, details })
  }
}

class FilterParser {
  #conditions = 0

  filter(given: unknown, path: string, depth: number): FilterNode {
    if (!isPlainObject(given)) throw wrong(path, `must be a plain object, not ${shown(given)}`)
    if (depth > MAX_DEPTH) throw wrong(path, `is nested more than ${MAX_DEPTH} deep`)
    const parts = Object.entries(given).flatMap(([name, condition]): FilterNode[] => {
      if (condition === undefined) return []
      const at = `${path}.${name}`
      if (name === 'not') return [{ kind: 'not', part: this.filter(condition, at, depth + 1) }]
      if (name === 'any' || name === 'all') {
        if (!Array.isArray(condition)) throw wrong(at, `must be a list of filters, not ${shown(condition)}`)
        if (condition.length > MAX_CONDITIONS) throw wrong(at, `has more than ${MAX_CONDITIONS} filters`)
        return [{ kind: name, parts: condition.map((part, i) => this.filter(part, `${at}[${i}]`, depth + 1)) }]
      }
      if (!isFieldName(name)) throw wrong(at, 'is not a name of a field: letters, digits, _, - and .')
      return [this.#condition(name, condition, at)]
    })
    this.#count(path)
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'all', parts }
  }

  #condition(field: string, given: unknown, path: string): FilterNode {
    if (Array.isArray(given)) {
      if (given.length > MAX_CONDITIONS) throw wrong(path, `has more than ${MAX_CONDITIONS} values`)
      return { kind: 'terms', ranges: given.flatMap((value, i) => this.#value(field, value, `${path}[${i}]`)) }
    }
    if (!isObject(given)) return { kind: 'terms', ranges: this.#value(field, given, path) }
    const names = Object.keys(given).filter(name => given[name] !== undefined)
    const [name] = names
    if (names.length === 1 && name === 'exists') {
      const { exists } = given
      if (typeof exists !== 'boolean') throw wrong(`${path}.exists`, `must be true or false, not ${shown(exists)}`)
      const from = fieldsPrefix(field)
      const present: FilterNode = { kind: 'terms', ranges: [{ field, type: undefined, from, to: '', prefix: true }] }
      return exists ? present : { kind: 'not', part: present }
    }
    if (names.length === 1 && name === 'prefix') {
      const { prefix } = given
      if (typeof prefix !== 'string') throw wrong(`${path}.prefix`, `must be a string, not ${shown(prefix)}`)
      const from = typedPrefix(field, 'keyword') + prefix
      return { kind: 'terms', ranges: [{ field, type: 'keyword', from, to: '', prefix: true }] }
    }
    const other = names.find(name => !(bounds as readonly string[]).includes(name))
    if (names.length === 0 || other !== undefined) {
      const what = other === undefined ? 'has no condition' : `has the unknown condition ${shown(other)}`
      throw wrong(
        path,
        `${what}; a condition is a value, a list of values, { lt, lte, gt, gte }, { prefix } or { exists }`,
      )
    }
    return { kind: 'terms', ranges: this.#range(field, given, path) }
  }

  #value(field: string, value: unknown, path: string): TermRange[] {
    this.#count(path)
    const scalar = scalarOf(value, path)
    // A time can be written as a string. A field has only one type, so at most one of the terms exists.
    const at = typeof scalar === 'string' ? instantOf(scalar) : undefined
    return [scalar, ...(at ? [at] : [])].map(one => {
      const term = valueTerm(field, one)
      return { field, type: typeOfScalar(one), from: term, to: term }
    })
  }

  #range(field: string, given: Record<string, unknown>, path: string): TermRange[] {
    const ranges: TermRange[] = []
    const read = bounds.flatMap(name => {
      const value = given[name]
      if (value === undefined) return []
      this.#count(`${path}.${name}`)
      const scalar = scalarOf(value, `${path}.${name}`)
      if (typeof scalar === 'boolean') throw wrong(`${path}.${name}`, 'must be a number, a time or a string')
      return [{ name, scalar, at: typeof scalar === 'string' ? instantOf(scalar) : undefined }]
    })
    const add = (
      type: 'keyword' | 'number' | 'instant',
      textOf: (bound: (typeof read)[number]) => string | undefined,
    ) => {
      const texts = read.map(textOf)
      if (texts.includes(undefined)) return
      const prefix = typedPrefix(field, type)
      const range: TermRange = { field, type, from: prefix, to: `${prefix}\uffff` }
      read.forEach(({ name }, i) => {
        const term = prefix + texts[i]
        if (name === 'gt' || name === 'gte') {
          if (term < range.from || (term === range.from && name === 'gte')) return
          range.from = term
          range.fromOpen = name === 'gt'
        } else {
          if (term > range.to || (term === range.to && name === 'lte')) return
          range.to = term
          range.toOpen = name === 'lt'
        }
      })
      ranges.push(range)
    }
    add('number', ({ scalar }) => (typeof scalar === 'number' ? sortableNumber(scalar) : undefined))
    add('instant', ({ scalar, at }) => {
      const date = scalar instanceof Date ? scalar : at
      return date && sortableNumber(date.getTime())
    })
    add('keyword', ({ scalar }) => (typeof scalar === 'string' ? scalar : undefined))
    if (ranges.length === 0) throw wrong(path, 'has bounds of different types')
    return ranges
  }

  #count(path: string): void {
    this.#conditions++
    if (this.#conditions > MAX_CONDITIONS)
      throw wrong(path, `is one of more than ${MAX_CONDITIONS} conditions and values`)
  }
}

function wrong(path: string, reason: string): AsofError {
  return invalidOption(path, reason)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function scalarOf(value: unknown, path: string): FieldScalar {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value
  throw wrong(path, `must be a string, a finite number, a boolean or a valid Date, not ${shown(value)}`)
}

function typeOfScalar(value: FieldScalar): FieldType {
  if (typeof value === 'string') return 'keyword'
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'instant'
}

/** The instant that a string writes; undefined if it writes none. */
function instantOf(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return undefined
  try {
    return new Date(parseInstant(text, 'filter'))
  } catch {
    // The string is only a keyword.
    return undefined
  }
}

/** True if a term is in a range. */
export function isInRange(term: string, { from, to, fromOpen, toOpen, prefix }: TermRange): boolean {
  if (prefix) return term.startsWith(from)
  if (fromOpen ? term <= from : term < from) return false
  return toOpen ? term < to : term <= to
}

/** True if a page with these terms fulfills a filter. */
export function fulfills(node: FilterNode, terms: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case 'all':
      return node.parts.every(part => fulfills(part, terms))
    case 'any':
      return node.parts.some(part => fulfills(part, terms))
    case 'not':
      return !fulfills(node.part, terms)
    case 'terms':
      for (const term of terms) if (node.ranges.some(range => isInRange(term, range))) return true
      return false
  }
}
