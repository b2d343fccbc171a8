import { isWithinEdits } from '../characters/edit-distance.ts'
import { MAX_SHOWN } from './shown-value.ts'

/** Maximum length of a name that is compared. A longer name is no misspelling of a known one. */
const MAX_CHARS = 40

/** Maximum number of known names in a hint. */
const MAX_LISTED = 16

/** An unknown name, with a hint for the caller. */
export interface UnknownName {
  /** The unknown name, shortened if necessary. */
  field: string
  /** The known name that the caller probably meant. */
  nearest?: string
  /** The end of the error message: "did you mean queryTime?", or a list of the known names. */
  hint: string
}

/**
 * Finds the known name that was probably meant by `name`: the same word in another case or with other separators
 * (`query_time` for `queryTime`), or else the only known name that begins with it (`lang`), or else a name within one
 * edit for every three letters.
 *
 * @param synonyms - known names by the names that other APIs have for them, in lower case without separators.
 */
export function unknownName(
  name: string,
  known: Iterable<string>,
  synonyms: Readonly<Record<string, string>> = {},
): UnknownName {
  const names = [...known]
  const field = name.slice(0, MAX_SHOWN)
  const nearest = name.length > MAX_CHARS ? undefined : nearestName(plainName(name), names, synonyms)
  if (nearest !== undefined) return { field, nearest, hint: `did you mean ${nearest}?` }
  const listed = names.slice(0, MAX_LISTED).join(', ')
  return { field, hint: `known are ${listed}${names.length > MAX_LISTED ? ', …' : ''}` }
}

function nearestName(
  plain: string,
  names: readonly string[],
  synonyms: Readonly<Record<string, string>>,
): string | undefined {
  const same = names.find(candidate => plainName(candidate) === plain)
  if (same !== undefined) return same
  if (Object.hasOwn(synonyms, plain)) return synonyms[plain]
  const begun = plain.length < 3 ? [] : names.filter(candidate => plainName(candidate).startsWith(plain))
  if (begun.length === 1) return begun[0]
  const most = Math.min(3, Math.ceil(plain.length / 3))
  for (let edits = 1; edits <= most; edits++) {
    const near = names.find(candidate => isWithinEdits(plain, plainName(candidate), edits))
    // A name that is shorter than the number of edits would be near any name.
    if (near !== undefined && plainName(near).length > edits) return near
  }
  return undefined
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '')
}
