/** A word that may be a part of compounds. */
export interface CompoundPart {
  /** Its stem in its language. The last part of a compound is compared by it. */
  stem: string
  /** The word, folded. Other parts of a compound are compared by it. */
  word: string
  /** Its term if the language is unknown. The last part of a compound of an unknown language is compared by it. */
  written: string
}

/** Minimum number of letters of a stem that is looked for in compounds. */
export const MIN_PART = 4
/** Minimum number of letters that a compound has beside the part, if they are a word of the index. */
const MIN_REST = 3
/**
 * Minimum number of letters that a compound has beside the part, if they are not a word of the index: beside a part of at least
 * {@link LONG_PART} letters, and beside a shorter part.
 */
const MIN_UNKNOWN_REST = 4
const MIN_UNKNOWN_REST_OF_SHORT = 6
const LONG_PART = 6
/** Maximum number of letters between the parts, such as `s` and `en`. */
const MAX_LINK = 2
/** Minimum number of letters of a compound. */
export const MIN_COMPOUND: number = MIN_PART + MIN_REST
/** Longer terms are not words. */
export const MAX_COMPOUND = 60

/** True for a folded word of Latin letters. */
export function isPlainWord(word: string): boolean {
  return /^[a-z]+$/.test(word)
}

/**
 * Returns where in a compound a word is. The rest of the compound, without letters that link the parts, must be a word of the index
 * (Koehn and Knight, Empirical Methods for Compound Splitting, EACL 2003, splits by the same evidence), or so long that the compound
 * hardly contains the word by chance.
 *
 * @param term - a term of the index, of Latin letters.
 * @param isWord - true for a word or stem that the index contains.
 * @returns undefined if the word is not a part of the term.
 */
export function placeIn(
  term: string,
  { stem, word, written }: CompoundPart,
  isWord: (word: string) => boolean,
): 'first' | 'middle' | 'last' | undefined {
  if (term.length < MIN_COMPOUND) return undefined
  if (endsWithPart(term, stem, isWord) || (written !== stem && endsWithPart(term, written, isWord))) return 'last'
  if (beginsWithPart(term, word, isWord)) return 'first'
  const at = term.indexOf(word, MIN_REST)
  if (at < 0 || term.length - at - word.length < MIN_REST) return undefined
  const isKnown = isKnownBefore(term.slice(0, at), isWord) && isKnownAfter(term.slice(at + word.length), isWord)
  return isKnown ? 'middle' : undefined
}

function endsWithPart(term: string, part: string, isWord: (word: string) => boolean): boolean {
  if (!term.endsWith(part)) return false
  const before = term.slice(0, -part.length)
  return before.length >= MIN_REST && (isLikely(before, unknownRestOf(part)) || isKnownBefore(before, isWord))
}

function beginsWithPart(term: string, part: string, isWord: (word: string) => boolean): boolean {
  if (!term.startsWith(part)) return false
  const after = term.slice(part.length)
  // The letters after a word are often only an ending, so an unknown rest must be longer.
  return after.length >= MIN_REST && (isLikely(after, unknownRestOf(part) + 2) || isKnownAfter(after, isWord))
}

/** Minimum number of letters of an unknown rest beside a part. */
function unknownRestOf(part: string): number {
  return part.length >= LONG_PART ? MIN_UNKNOWN_REST : MIN_UNKNOWN_REST_OF_SHORT
}

/** True if the rest of a compound has at least `least` letters and a vowel. */
function isLikely(rest: string, least: number): boolean {
  return rest.length >= least && /[aeiouy]/.test(rest)
}

/** True if the rest before a part is a word, perhaps followed by letters that link the two. */
function isKnownBefore(rest: string, isWord: (word: string) => boolean): boolean {
  for (let link = 0; link <= MAX_LINK && rest.length - link >= MIN_REST; link++)
    if (isWord(rest.slice(0, rest.length - link))) return true
  return false
}

function isKnownAfter(rest: string, isWord: (word: string) => boolean): boolean {
  for (let link = 0; link <= MAX_LINK && rest.length - link >= MIN_REST; link++)
    if (isWord(rest.slice(link))) return true
  return false
}
