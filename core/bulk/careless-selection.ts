import { invalidOption, isPlainObject, shown } from '@asof/extract/errors'
import { parse } from 'tldts'
import type { ParsedCondition, ParsedFilter } from '../fields/field-filter.ts'

/** The last part of the message of a refusal. */
export const EVERYTHING = 'if everything is meant, select it by all: true'

/**
 * Refuses a domain under which anybody may have a site, such as com, co.uk or github.io: a public suffix. A domain of one label
 * that the Public Suffix List does not have is one too (its rule `*`), except for localhost, which is one machine (RFC 6761, 6.3).
 *
 * @param site - as `parseSite` returns it.
 * @throws ASOF_INVALID_OPTION - `details.field` is `site`.
 */
export function refusePublicSuffix(site: string): void {
  const { publicSuffix, isIp } = parse(site, { allowPrivateDomains: true })
  if (isIp || publicSuffix !== site || site === 'localhost') return
  throw invalidOption(
    'site',
    `is ${site}, a public suffix, which holds the sites of many owners; name one site, such as example.${site}, or select the pages of the host ${site} by prefix; ${EVERYTHING}`,
  )
}

/**
 * Rejects `file:///`, the prefix of all URLs of files. Every other prefix contains a whole host, or a part of a path or an id.
 *
 * @param prefix - as `normalizePrefix` returns it.
 * @throws ASOF_INVALID_OPTION - `details.field` is `prefix`.
 */
export function refuseRoot(prefix: string): void {
  if (prefix === 'file:///')
    throw invalidOption('prefix', `is ${prefix}, with which every address of a file begins; ${EVERYTHING}`)
}

/**
 * Refuses a filter with a part that restricts nothing: an absent value, which most likely is a variable without a value, an
 * empty list, or an empty prefix.
 *
 * @param given - the filter that was parsed.
 * @throws ASOF_INVALID_OPTION - `details.field` is the path of the part.
 */
export function refuseEmptyParts(given: object, parsed: ParsedFilter): void {
  const absent = absentPart(given, 'filter')
  if (absent)
    throw invalidOption(absent.path, `is ${shown(absent.value)}; a deletion needs the value of each condition`)
  for (const condition of conditionsOf(parsed)) {
    if (condition.kind === 'prefix' && condition.prefix.value === '')
      throw invalidOption(condition.prefix.path, 'is empty, so that all values begin with it')
    if (condition.kind !== 'range') continue
    for (const { name, path, value } of condition.bounds)
      if (value === '')
        throw invalidOption(
          path,
          `is empty, so that ${name[0] === 'g' ? 'all values are' : 'no value is'} within the range`,
        )
  }
  if (hasEmptyPart(parsed)) throw invalidOption('filter', 'has no condition, or a part without one')
}

/** Returns the first part of a filter that is absent: undefined or null. The filter was parsed, so it has only a few levels. */
function absentPart(given: unknown, path: string): { path: string; value: unknown } | undefined {
  if (given === undefined || given === null) return { path, value: given }
  const parts = Array.isArray(given)
    ? given.map((part, i) => [`${path}[${i}]`, part] as const)
    : isPlainObject(given)
      ? Object.entries(given).map(([name, part]) => [`${path}.${name}`, part] as const)
      : []
  for (const [at, part] of parts) {
    const absent = absentPart(part, at)
    if (absent) return absent
  }
  return undefined
}

function hasEmptyPart(filter: ParsedFilter): boolean {
  if (filter.kind === 'not') return hasEmptyPart(filter.part)
  if (filter.kind === 'values') return filter.values.length === 0
  return 'parts' in filter && (filter.parts.length === 0 || filter.parts.some(hasEmptyPart))
}

/** Yields the conditions of a filter on single fields. */
export function* conditionsOf(filter: ParsedFilter): Generator<ParsedCondition> {
  if ('parts' in filter) for (const part of filter.parts) yield* conditionsOf(part)
  else if (filter.kind === 'not') yield* conditionsOf(filter.part)
  else yield filter
}
