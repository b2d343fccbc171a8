import { AsofError, invalidOption, type UnknownName, unknownName } from '@asof/extract/errors'
import { allKinds, fieldKinds, kindsInWords } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'
import type { DeltaOrigin } from '../../dates/resolve-times.ts'
import type { ParsedCondition, ParsedFilter } from '../../fields/field-filter.ts'
import { type TypedFilter, typedFilter } from '../../fields/typed-filter.ts'
import type { IndexFields } from '../collection/collection.ts'
import type { SearchWarning } from '../search-answer.ts'
import { rangeFields, fields as searchFields } from '../webql/parser.ts'

/** Maximum number of values that the ranges, prefixes and `exists` of a filter are compared with. */
export const MAX_COMPARED = 4_000_000
/** Number of ranges, prefixes and `exists` that a filter may have on an index of any size. */
export const ALWAYS_ALLOWED = 16
/** Maximum number of unknown fields that a warning names. */
const MAX_NAMED = 3
const operators = [...searchFields, ...rangeFields]

/** The part of a request that conditions are in. */
type Place = 'filter' | 'query'

/** The part of a request that names fields. */
type Naming = Place | 'weights.fields'

export interface FiltersOptions {
  /** The origin from which deltas such as `7d` count. */
  origin: DeltaOrigin
  /** The instant that the caller asked for, if any, epoch ms. */
  queryTime: number | undefined
  /**
   * Returns the names of the fields that some page had up to the time of the request, which may be after the instant. A filter that names
   * another field is an error. Default: such a filter causes only a warning.
   */
  namesByNow?: (() => readonly string[]) | undefined
}

/**
 * Gives the conditions of filters, and of a query, the types that their fields have as of an instant. Nothing that was
 * acquired later takes part.
 */
export class FiltersAsOf {
  readonly #fields: IndexFields
  readonly #options: FiltersOptions
  readonly #typed: Record<Place, TypedFilter[]> = { filter: [], query: [] }
  /** The fields that no page has as of the instant, each with the first path in the request that names it. */
  readonly #unknown: Record<Naming, Map<string, string>> = {
    filter: new Map<string, string>(),
    query: new Map<string, string>(),
    'weights.fields': new Map<string, string>(),
  }

  constructor(fields: IndexFields, options: FiltersOptions) {
    this.#fields = fields
    this.#options = options
  }

  /** @throws ASOF_INVALID_OPTION - a value has another type than its field. */
  ofRequest(filter: ParsedFilter): TypedFilter {
    return this.#typedFilter(filter, 'filter')
  }

  /** Returns the type of a field that a query names. Undefined if no page has the field as of the instant. */
  typeInQuery(field: string, path: string): FieldType | undefined {
    return this.#typeOf(field, 'query', path)
  }

  /**
   * Reads the values of a condition, which are texts, as values of the type of its field.
   *
   * @throws ASOF_INVALID_OPTION - a value cannot be read as one of that type.
   */
  ofQuery(condition: ParsedCondition): TypedFilter {
    return this.#typedFilter(condition, 'query')
  }

  /**
   * Notes the fields to whose words a request gives weights, so that {@link check} can warn of unknown ones.
   *
   * @throws ASOF_INVALID_OPTION - the values of a field have no words.
   */
  ofWeights(fields: Readonly<Record<string, number>>): void {
    for (const field of Object.keys(fields)) {
      const type = this.#typeOf(field, 'weights.fields', `weights.fields.${field}`)
      if (type === undefined || fieldKinds[type].indexedText || fieldKinds[type].hasWordsInValues) continue
      const indexed = allKinds.filter(({ indexedText }) => indexedText)
      const others = kindsInWords([...indexed, ...allKinds.filter(({ hasWordsInValues }) => hasWordsInValues)])
      throw invalidOption(`weights.fields.${field}`, `is the weight of a ${type} field; only ${others} have words`)
    }
  }

  /**
   * Checks the cost of the filters before they are evaluated.
   *
   * @returns warnings that name the fields that no page has as of the instant, if there are any.
   * @throws ASOF_INVALID_OPTION, ASOF_INVALID_QUERY - the filters compare too many values.
   * @throws ASOF_INVALID_OPTION - the filter of the request names a field that no page ever had; `details.nearest` is the field that was
   *   probably meant.
   */
  check(): SearchWarning[] {
    const typed = this.#typed
    checkPrice([...typed.filter, ...typed.query], this.#fields, typed.filter.length > 0 ? 'filter' : 'query')
    const { filter, query, 'weights.fields': weights } = this.#unknown
    if (filter.size + query.size + weights.size === 0) return []
    this.#expectKnown(filter)
    const names = this.#fields.fieldNames()
    const warnings: string[] = []
    if (filter.size > 0) warnings.push(this.#describe('filter', names))
    if (weights.size > 0) warnings.push(this.#describe('weights.fields', names))
    if (query.size > 0)
      warnings.push(`${this.#describe('query', [...names, ...operators])}; put text that contains a colon in quotes`)
    return warnings.map(text => ({ code: 'unknown-field', text }))
  }

  #typedFilter(filter: ParsedFilter, place: Place): TypedFilter {
    const typeOf = (field: string, path: string) => this.#typeOf(field, place, path)
    const { origin } = this.#options
    const typed = typedFilter(filter, { typeOf, origin, readsTexts: place === 'query' })
    this.#typed[place].push(typed)
    return typed
  }

  #typeOf(field: string, naming: Naming, path: string): FieldType | undefined {
    const type = this.#fields.fieldType(field)
    const unknown = this.#unknown[naming]
    if (type === undefined && !unknown.has(field)) unknown.set(field, path)
    return type
  }

  /**
   * Throws if no page ever had one of these fields. A field that pages have only after the instant is allowed: as of the instant, a filter on it
   * finds nothing.
   */
  #expectKnown(unknown: ReadonlyMap<string, string>): void {
    const { namesByNow } = this.#options
    if (!namesByNow || unknown.size === 0) return
    const names = namesByNow()
    for (const [field, path] of unknown) {
      if (names.includes(field)) continue
      const { hint, ...details } = unknownField(field, names)
      throw new AsofError('ASOF_INVALID_OPTION', `${path} names a field that no page ever had: ${hint}`, {
        details: { ...details, field: path },
      })
    }
  }

  #describe(place: Naming, names: readonly string[]): string {
    const { queryTime } = this.#options
    const unknown = this.#unknown[place]
    const when = queryTime === undefined ? '' : ` as of ${new Date(queryTime).toISOString()}`
    const more = unknown.size > MAX_NAMED ? `; ${unknown.size - MAX_NAMED} more fields of the ${place} are unknown` : ''
    const named = [...unknown.keys()].slice(0, MAX_NAMED).map(field => {
      const { hint } = unknownField(field, names)
      return `no page has the field ${field}${when}: ${hint}`
    })
    return `${place}: ${named.join('; ')}${more}`
  }
}

function unknownField(field: string, names: readonly string[]): Pick<UnknownName, 'nearest' | 'hint'> {
  return names.length === 0 ? { hint: 'no page has any field' } : unknownName(field, names)
}

/**
 * The price of filters is the number of values that they compare: for each different condition with a range, a prefix or
 * `exists`, the number of values of the field. It depends neither on segments nor on what was acquired later.
 */
function checkPrice(filters: readonly TypedFilter[], fields: IndexFields, place: Place): void {
  const ranges = filters.flatMap(filter => [...filter.ranges])
  const count = ranges.reduce((sum, [, conditions]) => sum + conditions.length, 0)
  if (count <= ALWAYS_ALLOWED) return
  let price = 0
  for (const [field, conditions] of ranges) {
    price += conditions.length * fields.valuesOf(field)
    if (price > MAX_COMPARED) throw tooDear(count, price, place)
  }
}

function tooDear(count: number, price: number, place: Place): AsofError {
  return new AsofError(
    place === 'filter' ? 'ASOF_INVALID_OPTION' : 'ASOF_INVALID_QUERY',
    `${place} has ${count} different ranges, prefixes and exists, which compare at least ${price} values; the limit is ` +
      `${MAX_COMPARED}, or ${ALWAYS_ALLOWED} conditions: use fewer of them, lists of values, or one { any: […] } for each field`,
    { details: { field: place, values: price, limit: MAX_COMPARED } },
  )
}
