import type { DeltaOrigin } from '../../dates/resolve-times.ts'
import { AsofError } from '../../errors.ts'
import type { ParsedFilter } from '../../fields/field-filter.ts'
import { type TypedFilter, typedFilter } from '../../fields/typed-filter.ts'
import { unknownName } from '../../unknown-name.ts'
import type { IndexView } from '../postings/segment-view.ts'
import { KnownFields } from './known-fields.ts'

/** Maximum number of values that the ranges, prefixes and `exists` of a filter are compared with. */
export const MAX_COMPARED = 4_000_000
/** A filter may have this many of them on an index of any size. */
export const ALWAYS_ALLOWED = 16
/** Maximum number of unknown fields that a warning names. */
const MAX_NAMED = 3

/** A filter with the types that its fields have as of the instant of an index view. */
export interface FilterAsOf {
  filter: TypedFilter
  /** Names the fields that no page has as of the instant. */
  warning?: string
}

/**
 * Gives the conditions of a filter the types of their fields as of an instant, and checks how much it costs to evaluate them
 * before they are. Nothing that was acquired later takes part.
 *
 * @param instant - the instant that the caller asked for, if any, epoch ms.
 * @throws ASOF_INVALID_OPTION - a value has another type than its field, or the filter compares too many values.
 */
export function filterAsOf(
  parsed: ParsedFilter,
  index: IndexView,
  { origin, instant }: { origin: DeltaOrigin; instant: number | undefined },
): FilterAsOf {
  const fields = new KnownFields(index)
  const unknown = new Set<string>()
  const typeOf = (field: string) => {
    const type = fields.typeOf(field)
    if (type === undefined) unknown.add(field)
    return type
  }
  const filter = typedFilter(parsed, { typeOf, origin })
  checkPrice(filter, fields)
  return { filter, warning: unknown.size > 0 ? unknownFields([...unknown], fields, instant) : undefined }
}

/**
 * The price of a filter is the number of values that it compares: for each different condition with a range, a prefix or
 * `exists`, the number of values of the field. It depends neither on segments nor on what was acquired later.
 */
function checkPrice({ ranges }: TypedFilter, fields: KnownFields): void {
  const count = [...ranges.values()].reduce((sum, conditions) => sum + conditions.length, 0)
  if (count <= ALWAYS_ALLOWED) return
  let price = 0
  for (const [field, conditions] of ranges) {
    price += conditions.length * fields.valuesOf(field)
    if (price > MAX_COMPARED) throw tooDear(count, price)
  }
}

function tooDear(count: number, price: number): AsofError {
  return new AsofError(
    'ASOF_INVALID_OPTION',
    `filter has ${count} different ranges, prefixes and exists, which compare at least ${price} values; the limit is ` +
      `${MAX_COMPARED}, or ${ALWAYS_ALLOWED} conditions: use fewer of them, lists of values, or one { any: […] } for each field`,
    { details: { field: 'filter', values: price, limit: MAX_COMPARED } },
  )
}

function unknownFields(unknown: readonly string[], fields: KnownFields, instant: number | undefined): string {
  const names = fields.names()
  const when = instant === undefined ? '' : ` as of ${new Date(instant).toISOString()}`
  const more = unknown.length > MAX_NAMED ? `; ${unknown.length - MAX_NAMED} more fields of the filter are unknown` : ''
  const named = unknown.slice(0, MAX_NAMED).map(field => {
    const hint = names.length === 0 ? 'no page has any field' : unknownName(field, names).hint
    return `no page has the field ${field}${when}: ${hint}`
  })
  return `filter: ${named.join('; ')}${more}`
}
