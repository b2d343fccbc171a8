import { invalidOption, isAsofError } from '@asof/extract/errors'
import { fieldKinds } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'
import type { TimeInput } from '../../page.ts'
import type { FacetValue, SearchAnswer, SearchOptions } from '../search-answer.ts'

/** The options of {@link Engine.fields}. */
export interface FieldsOptions {
  /** The instant of the answer, see {@link SearchOptions.queryTime}. Default now. */
  queryTime?: TimeInput
  /** Maximum number of examples of a field, 0 to 20. Default 5. */
  maxExamples?: number
}

/** A field of pages, see {@link Engine.fields}. */
export interface FieldAsOf {
  name: string
  type: FieldType
  /** Number of pages that have the field. */
  pages: number
  /** The values that most pages have, in the form of a facet. Keywords of over 64 UTF-16 units are left out. */
  examples: FacetValue[]
}

export const FIELD_EXAMPLES = { least: 0, most: 20, default: 5 } as const
/** Maximum length of a keyword among the examples, UTF-16 units. */
const EXAMPLE_UNITS = 64
/** Number of values read for each example, since those that are too long are left out. */
const READ_PER_EXAMPLE = 4

/** Checks the number of examples. @throws ASOF_INVALID_OPTION - it is out of range. */
export function checkMaxExamples(maxExamples: number): void {
  const { least, most } = FIELD_EXAMPLES
  if (!Number.isInteger(maxExamples) || maxExamples < least || maxExamples > most)
    throw invalidOption('maxExamples', `must be a whole number from ${least} to ${most}`)
}

/** The fields that an index has as of an instant. */
export interface KnownTypes {
  /** Epoch ms. */
  instant: number
  types: ReadonlyMap<string, FieldType>
}

/**
 * Lists fields, see `Engine.fields`. Makes one search for each field. So the work is done on the threads and under the time limit of searches,
 * and other searches run in between.
 */
export async function fieldsAsOf(
  { instant, types }: KnownTypes,
  maxExamples: number,
  search: (options: SearchOptions) => Promise<SearchAnswer>,
): Promise<FieldAsOf[]> {
  const fields: FieldAsOf[] = []
  for (const [name, type] of [...types].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const found = await searchHolders(
      name,
      {
        queryTime: instant,
        mode: 'realtime',
        maxResults: 1,
        snippetMaxLength: 0,
        // With a facet, the number of pages is exact. A field with texts cannot be a facet.
        facets: fieldKinds[type].indexedText ? ['publishedAt'] : [name],
        maxFacetValues: Math.max(1, READ_PER_EXAMPLE * maxExamples),
      },
      search,
    )
    if (!found?.total || found.total.value === 0) continue
    const examples = (found.facets?.[0]?.values ?? []).filter(isShort).slice(0, maxExamples)
    fields.push({ name, type, pages: found.total.value, examples })
  }
  return fields
}

/** Searches for the pages that have a field. Returns undefined if the last of them was purged meanwhile. */
async function searchHolders(
  name: string,
  options: SearchOptions,
  search: (options: SearchOptions) => Promise<SearchAnswer>,
): Promise<SearchAnswer | undefined> {
  try {
    return await search({ ...options, filter: { [name]: { exists: true } } })
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_OPTION') && error.details?.field === `filter.${name}`) return undefined
    throw error
  }
}

function isShort({ value }: FacetValue): boolean {
  return typeof value !== 'string' || value.length <= EXAMPLE_UNITS
}
