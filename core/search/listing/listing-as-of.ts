import { AsofError, unknownName } from '@asof/extract/errors'
import { allKinds, type FieldKind, kindsInWords } from '@asof/extract/field-kinds'
import { typedPrefix } from '../../fields/field-terms.ts'
import type { Collection, MatchesElsewhere } from '../collection/collection.ts'
import { type Facet, type FacetCount, highestSums } from '../collection/facet.ts'
import { fieldKindOf, type OrderKey, type ValueName, type ValueOrder } from '../collection/value-order.ts'
import type { FacetCounts, FacetValue, SearchWarning } from '../search-answer.ts'
import type { Matches } from '../topk/match-bits.ts'
import { otherRequest } from './cursor.ts'
import { FacetCounter } from './facet-counts.ts'
import { writeStart } from './histogram.ts'
import {
  type BucketUnit,
  bucketUnits,
  type ParsedFacet,
  type ParsedListing,
  type ParsedSort,
} from './listing-options.ts'

/** A requested facet. `facet` is undefined if no page has the field. */
interface NamedFacet {
  /** As the caller wrote it. */
  text: string
  facet?: Facet
}

/** A listing whose fields have the types that they had as of the instant of an index view. */
export interface ListingAsOf {
  facets: readonly NamedFacet[]
  /** Undefined for the order of the scores. */
  order: ValueOrder | undefined
  /** Warnings that name the fields that no page has as of the instant. */
  warnings: SearchWarning[]
}

/**
 * Gives the fields of a listing their types as of an instant. Nothing that was acquired later takes part.
 *
 * @param queryTime - the instant that the caller asked for, if any, epoch ms.
 * @throws ASOF_INVALID_OPTION - a field has a type that the requested facet or sort does not support.
 */
export function listingAsOf(
  { facets, sort, paging }: ParsedListing,
  collection: Collection,
  queryTime: number | undefined,
): ListingAsOf {
  const unknown: string[] = []
  const valueNamed = (option: string, name: string): ValueName | undefined => {
    if (name === 'publishedAt' || name === 'acquiredAt') return { date: name }
    const type = collection.fieldType(name)
    if (type !== undefined) return { field: name, type }
    const names = collection.fieldNames()
    const when = queryTime === undefined ? '' : ` as of ${new Date(queryTime).toISOString()}`
    const hint = names.length === 0 ? 'no page has any field' : unknownName(name, names).hint
    unknown.push(`${option}: no page has the field ${name}${when}: ${hint}`)
    return undefined
  }
  const orderOf = (sort: ParsedSort): ValueOrder => {
    const [first, ...further] = [sort, ...(sort.further ?? [])].flatMap(key => {
      const value = valueNamed('sort', key.name)
      return value ? [orderKey(key, value)] : []
    })
    // All pages are equal in a field that no page has. If the order has no other field, the newest page comes first.
    const order: ValueOrder = first ?? { name: { date: 'acquiredAt' }, isDescending: true }
    const after = paging.continues?.after
    if (after && (after.further?.length ?? 0) !== further.length) throw otherRequest()
    return { ...order, further: further.length > 0 ? further : undefined, after }
  }
  return {
    facets: facets.map((facet): NamedFacet => {
      const value = valueNamed('facets', facet.name)
      return value ? { text: facet.text, facet: typedFacet(facet, value) } : { text: facet.text }
    }),
    order: sort && orderOf(sort),
    warnings: unknown.map(text => ({ code: 'unknown-field', text })),
  }
}

function typedFacet({ text, name, interval, prefix }: ParsedFacet, value: ValueName): Facet {
  const kind = fieldKindOf(value)
  if (kind.indexedText)
    throw mismatch(
      'facets',
      `has ${text}; in this index the field ${name} is of type ${kind.name}: only whole values are counted`,
      kind,
    )
  if (prefix !== undefined && !kind.hasBeginnings) {
    const others = kindsInWords(allKinds.filter(({ hasBeginnings }) => hasBeginnings))
    throw mismatch(
      'facets',
      `has ${text}; in this index ${name} is of type ${kind.name}: only ${others} have beginnings; ask for '${name}'`,
      kind,
    )
  }
  if (prefix !== undefined) return { value, prefix }
  if (interval === undefined) return { value }
  if (kind.scale === undefined)
    throw mismatch(
      'facets',
      `has ${text}; in this index the field ${name} is of type ${kind.name}, which has no histogram: ask for '${name}'`,
      kind,
    )
  if (typeof interval === 'number' && kind.scale === 'time')
    throw mismatch(
      'facets',
      `has ${text}; in this index ${name} is of type ${kind.name}: expected one of ${bucketUnits.join(', ')}`,
      kind,
    )
  if (typeof interval === 'string' && kind.scale === 'number')
    throw mismatch(
      'facets',
      `has ${text}; in this index the field ${name} is of type ${kind.name}: expected a number such as '${name}:10'`,
      kind,
    )
  return { value, interval }
}

function orderKey({ name, isDescending }: ParsedSort, value: ValueName): OrderKey {
  const kind = fieldKindOf(value)
  if (kind.scale === undefined) {
    const others = kindsInWords(allKinds.filter(({ scale }) => scale !== undefined))
    throw mismatch(
      'sort',
      `is by ${name}; in this index the field ${name} is of type ${kind.name}: results can be ordered by ${others}`,
      kind,
    )
  }
  return { name: value, isDescending }
}

function mismatch(field: string, reason: string, { name }: FieldKind): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', `${field} ${reason}`, { details: { field, type: name } })
}

/** Counts all matches by the values of each facet. @param most - maximum number of values of a facet. */
export function countFacets(facets: readonly NamedFacet[], matches: Matches, most: number): FacetCounts[] {
  return facets.map(({ text, facet }) => {
    if (!facet) return { field: text, values: [] }
    const counter = new FacetCounter(facet)
    matches.views.forEach((view, v) => {
      counter.add(view, matches.bitsOf(v))
    })
    const { elsewhere } = matches
    const highest = elsewhere ? highestOf(counter, elsewhere, facet, most) : counter.highest(most)
    return { field: text, values: highest.map(found => ({ value: shownValue(found, facet), count: found.count })) }
  })
}

/** Returns the values with the highest counts over the matches in view and elsewhere together. */
function highestOf(counter: FacetCounter, elsewhere: MatchesElsewhere, facet: Facet, most: number): FacetCount[] {
  const inView = counter.highest(Number.POSITIVE_INFINITY)
  return highestSums([...inView, ...elsewhere.facet(facet, most, inView)], most)
}

/** Converts a counted value to the form that answers have. Values of dates are always numbers (epoch ms). */
function shownValue({ number, term = '' }: FacetCount, { value, interval }: Facet): FacetValue['value'] {
  if (number !== undefined)
    return typeof interval === 'string'
      ? writeStart(number, interval as BucketUnit)
      : fieldKindOf(value).fromTerm(number)
  return 'date' in value ? term : fieldKindOf(value).fromTerm(term.slice(typedPrefix(value.field, value.type).length))
}
