import { MAX_KEYWORD_UNITS } from '@asof/extract/page'
import type { ParsedBound, ParsedCondition } from '../../fields/field-filter.ts'
import { syntaxError } from '../syntax-error.ts'

/** The ends of a range as texts. An end that is absent is open. */
export interface Ends {
  gt?: string
  gte?: string
  lt?: string
  lte?: string
}

const names = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' } as const

/** True for `>`, `>=`, `<` and `<=`. */
export function isComparison(text: string): text is keyof typeof names {
  return Object.hasOwn(names, text)
}

/**
 * Reads `>a`, `>=a`, `<a`, `<=a`, `a..b`, `a..` and `..b`; returns undefined for any other value.
 *
 * @throws ASOF_INVALID_QUERY - there is no value beside the sign.
 */
export function readEnds(text: string, at: number): Ends | undefined {
  const [, sign, value] = /^([<>]=?)(.*)$/s.exec(text) ?? []
  if (sign !== undefined && isComparison(sign)) {
    if (value === undefined || value === '') throw syntaxError(`${sign} must be followed by a value`, at)
    return { [names[sign]]: value }
  }
  const [, from, to] = /^(.*?)\.\.(.*)$/s.exec(text) ?? []
  if (from === undefined || to === undefined) return undefined
  if (from === '' && to === '') throw syntaxError('.. needs a value on at least one side', at)
  return { gte: from === '' ? undefined : from, lte: to === '' ? undefined : to }
}

/** Returns a condition that a value of a field is within a range. */
export function rangeOfField(field: string, ends: Ends, at: number): ParsedCondition {
  const bounds = Object.values(names).flatMap((name): ParsedBound[] => {
    const value = ends[name]
    return value === undefined ? [] : [{ path: field, name, value: keyword(value, at) }]
  })
  return bounds.length === 0 ? { kind: 'exists', field, path: field } : { kind: 'range', field, path: field, bounds }
}

/** Returns a condition that a field has a value. */
export function valueOfField(field: string, text: string, at: number): ParsedCondition {
  return { kind: 'values', field, path: field, values: [{ path: field, value: keyword(text, at) }] }
}

/**
 * Reads a value that is not quoted: a comparison, a range, `*` for any value, a prefix such as `AB-*`, or the value itself.
 *
 * @throws ASOF_INVALID_QUERY
 */
export function readFieldValue(field: string, text: string, at: number): ParsedCondition {
  const ends = readEnds(text, at)
  if (ends) return rangeOfField(field, ends, at)
  const star = text.indexOf('*')
  if (star < 0) return valueOfField(field, text, at)
  if (star < text.length - 1) throw syntaxError('* is only allowed at the end of a value; put the value in quotes', at)
  if (star === 0) return { kind: 'exists', field, path: field }
  return { kind: 'prefix', field, path: field, prefix: { path: field, value: keyword(text.slice(0, -1), at) } }
}

function keyword(text: string, at: number): string {
  if (text.length > MAX_KEYWORD_UNITS)
    throw syntaxError(`this value has ${text.length} UTF-16 units; the limit is ${MAX_KEYWORD_UNITS}`, at)
  return text
}
