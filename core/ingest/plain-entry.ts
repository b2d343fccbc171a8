import { AsofError, isGiven, unknownName } from '@asof/extract/errors'
import { parseInstant } from '../dates/instant.ts'
import type { AliasInput, ObservationInput, RemovalInput, SightingInput } from '../page.ts'
import { normalizeUrl } from '../url.ts'
import type { PlainEntry } from './entry.ts'
import { checkAliases, declaredInstant, expectObserved, invalidCapture, invalidInstant } from './prepared-capture.ts'

type Fields<T> = Readonly<Record<keyof T, true>>

const removalFields: Fields<RemovalInput> = { observed: true, url: true, removedAt: true }
const sightingFields: Fields<SightingInput> = {
  observed: true,
  url: true,
  seenAt: true,
  unchangedSince: true,
  aliases: true,
}
const aliasFields: Fields<AliasInput> = { observed: true, url: true, aliasedAt: true, aliases: true }

/**
 * Checks a removal, sighting or declaration of aliases that a caller passed to `add`. Returns undefined for anything
 * else.
 *
 * @param now - the current instant, epoch ms. No declared instant may be later.
 * @throws ASOF_INVALID_CAPTURE, ASOF_INVALID_URL, ASOF_INVALID_TIME
 */
export function preparePlainEntry(input: ObservationInput, now: number): PlainEntry | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  if ('removedAt' in input && isGiven(input.removedAt)) {
    const url = checkUrl(input, 'removal', removalFields, 'removedAt')
    return { kind: 'removal', url, at: declaredInstant(input.removedAt, 'removedAt', now) }
  }
  if ('seenAt' in input && isGiven(input.seenAt)) {
    const url = checkUrl(input, 'sighting', sightingFields, 'seenAt')
    const at = declaredInstant(input.seenAt, 'seenAt', now)
    const aliases = checkAliases(input.aliases ?? [])
    const entry = { kind: 'sighting' as const, url, at, aliases }
    if (!isGiven(input.unchangedSince)) return entry
    const since = parseInstant(input.unchangedSince, 'unchangedSince')
    if (since >= at) throw invalidInstant('unchangedSince', 'must be before seenAt')
    return { ...entry, since, given: input.url }
  }
  if ('aliasedAt' in input && isGiven(input.aliasedAt)) {
    const url = checkUrl(input, 'alias', aliasFields, 'aliasedAt')
    const at = declaredInstant(input.aliasedAt, 'aliasedAt', now)
    return { kind: 'aliases', url, at, aliases: checkAliases(input.aliases) }
  }
  return undefined
}

/** Rejects unknown fields, and an `observed` that does not agree with the other fields. Returns the normalized URL. */
function checkUrl<T extends RemovalInput | SightingInput | AliasInput>(
  input: T,
  observed: T['observed'] & string,
  fields: Fields<T>,
  instant: string,
): string {
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(fields, name)) continue
    const { hint, ...details } = unknownName(name, Object.keys(fields))
    throw new AsofError('ASOF_INVALID_CAPTURE', `unknown field ${details.field} beside ${instant}; ${hint}`, {
      details,
    })
  }
  expectObserved(input.observed, [observed], instant)
  if (typeof input.url !== 'string') throw invalidCapture('url is missing')
  return normalizeUrl(input.url)
}
