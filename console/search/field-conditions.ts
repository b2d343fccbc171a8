import type { FieldsResponse } from '../api/wire.ts'
import { readFacets, readFilter } from './search-state.ts'

/** A field that pages have. */
export type Field = FieldsResponse['fields'][number]

/** How a condition compares a field with what a person typed. */
export type Comparison = 'is' | 'begins' | 'from' | 'until' | 'exists' | 'missing'

/** The comparisons of the types whose values a person can type. */
const comparisons: Partial<Record<Field['type'], readonly Comparison[]>> = {
  keyword: ['is', 'begins', 'exists', 'missing'],
  number: ['is', 'from', 'until', 'exists', 'missing'],
  instant: ['is', 'from', 'until', 'exists', 'missing'],
  boolean: ['is', 'exists', 'missing'],
}

/** Returns the comparisons that a field of a type can have. */
export function comparisonsOf(type: Field['type']): readonly Comparison[] {
  return comparisons[type] ?? ['exists', 'missing']
}

/** True if a comparison needs a value. */
export function takesValue(comparison: Comparison): boolean {
  return comparison !== 'exists' && comparison !== 'missing'
}

/**
 * Adds a condition to a filter. It replaces the condition that the field has; but the lower and the upper end of a range are joined.
 *
 * @param filter - JSON, or empty.
 * @returns JSON; undefined if the text is no value of the field's type, or the filter is no JSON object.
 */
export function withCondition(
  filter: string,
  { name, type }: Pick<Field, 'name' | 'type'>,
  comparison: Comparison,
  text: string,
): string | undefined {
  const given = filter.trim() === '' ? {} : readFilter(filter)
  const value = takesValue(comparison) ? valueIn(type, text.trim()) : ''
  if (!given || value === undefined) return undefined
  return JSON.stringify({ ...given, [name]: conditionOf(given[name], comparison, value) })
}

function conditionOf(before: unknown, comparison: Comparison, value: string | number | boolean): unknown {
  switch (comparison) {
    case 'is':
      return value
    case 'begins':
      return { prefix: value }
    case 'exists':
    case 'missing':
      return { exists: comparison === 'exists' }
    default: {
      const end = comparison === 'from' ? 'gte' : 'lte'
      const other = end === 'gte' ? 'lte' : 'gte'
      const isRange = typeof before === 'object' && before !== null && other in before
      return { [other]: isRange ? (before as Record<string, unknown>)[other] : undefined, [end]: value }
    }
  }
}

/** An instant stays text: the server knows more forms of times. */
function valueIn(type: Field['type'], text: string): string | number | boolean | undefined {
  if (text === '') return undefined
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (type !== 'number') return text
  return Number.isFinite(Number(text)) ? Number(text) : undefined
}

/** Returns the orders by the fields whose values are numbers or instants. */
export function ordersBy(fields: readonly Field[]): string[] {
  const sortable = fields.filter(({ type }) => type === 'number' || type === 'instant')
  return sortable.flatMap(({ name }) => [`${name}:asc`, `${name}:desc`])
}

/**
 * Returns a list of facets with one more, or without it if the list has it.
 *
 * @param facets - separated by commas.
 */
export function toggled(facets: string, name: string): string {
  const names = readFacets(facets)
  return (names.includes(name) ? names.filter(other => other !== name) : [...names, name]).join(', ')
}
