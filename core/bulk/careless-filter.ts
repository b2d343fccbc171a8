import { AsofError, invalidOption, unknownName } from '@asof/extract/errors'
import type { ParsedFilter } from '../fields/field-filter.ts'
import { type BulkIndex, selectedPages } from './bulk-index.ts'
import { conditionsOf, EVERYTHING } from './careless-selection.ts'
import type { Conditions, ParsedSelection } from './page-selection.ts'

/**
 * Rejects a filter in which a name or a value is most likely misspelled. These are: a condition on a field that no page has; a filter with
 * `not` or `exists: false` that every page of its site and prefix fulfills, so that all of them would be deleted; and a part under a `not`
 * that no page fulfills, so that the `not` keeps none. The pages are those as of `at`, epoch ms; undefined means now.
 *
 * @throws ASOF_INVALID_OPTION - `details.field` is the path of the condition; `details.nearest` is the field that was probably meant.
 */
export async function refuseCarelessFilter(
  index: BulkIndex,
  selection: ParsedSelection,
  at: number | undefined,
): Promise<void> {
  if ('urls' in selection || !selection.filter) return
  const { filter } = selection
  const names = await index.fieldNames(at)
  const known = new Set(names)
  for (const { field, path } of conditionsOf(filter)) if (!known.has(field)) throw unknownField(field, path, names, at)
  if (!hasNot(filter) || !(await selectsAny(index, selection, at))) return
  const left: Conditions = { ...selection, filter: { kind: 'not', part: filter } }
  if (!(await selectsAny(index, left, at)))
    throw invalidOption(
      'filter',
      `has a "not" or "exists: false" that leaves no page: every page fulfills the filter; check its values, or leave it out; ${EVERYTHING}`,
    )
  for (const { part, path } of exceptionsOf(filter))
    if (!(await selectsAny(index, { site: undefined, prefix: undefined, filter: part }, at)))
      throw invalidOption(
        path,
        'is within a "not" that no page of the index fulfills, so that it keeps none; check its values, or leave it out',
      )
}

function unknownField(field: string, path: string, names: readonly string[], at: number | undefined): AsofError {
  const { hint, ...details } = unknownName(field, names)
  const when = at === undefined ? 'has' : `had up to ${new Date(at).toISOString()}`
  return new AsofError(
    'ASOF_INVALID_OPTION',
    `${path} is a condition on the field ${field}, which no page ${when}; ${names.length === 0 ? 'no page has any field' : hint}`,
    { details: { ...details, field: path } },
  )
}

function hasNot(filter: ParsedFilter): boolean {
  return filter.kind === 'not' || ('parts' in filter && filter.parts.some(hasNot))
}

/** Yields each part under a `not` that has a condition with values, and the path of the first one. A condition `exists` has no values. */
function* exceptionsOf(filter: ParsedFilter): Generator<{ part: ParsedFilter; path: string }> {
  if ('parts' in filter) for (const part of filter.parts) yield* exceptionsOf(part)
  if (filter.kind !== 'not') return
  const named = [...conditionsOf(filter.part)].find(({ kind }) => kind !== 'exists')
  if (named) yield { part: filter.part, path: named.path }
}

async function selectsAny(index: BulkIndex, conditions: Conditions, at: number | undefined): Promise<boolean> {
  const parts = selectedPages(index, conditions, { atMost: 1, isOfAllTime: false }, at)
  for await (const pages of parts) if (pages.length > 0) return true
  return false
}
