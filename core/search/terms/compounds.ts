import { analyzer } from '../../text/languages/analyzers.ts'
import { isFunctionWord } from '../../text/languages/function-words.ts'
import { languageStem } from '../../text/terms/language-terms.ts'
import { stemTerm } from '../../text/terms/term-interner.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import { MAX_EXPANSIONS } from '../clauses/pattern-expansion.ts'
import type { IndexView } from '../collection/index-view.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'
import { type CompoundPart, isPlainWord, MIN_PART, placeIn } from './compound-part.ts'

/** Weight of a compound, relative to the word that is a part of it. A page needs several compounds to outrank the word itself. */
const COMPOUND = 0.3
/** Maximum number of compounds of a word, the most frequent ones first. */
const MAX_COMPOUNDS = 16
/** Maximum number of words of a query whose compounds are searched for. */
const MAX_WORDS = 4

/**
 * The compounds of the index with a word of the query as a part, such as `Straßenbahnhaltestelle` for `Haltestelle`, as terms that score in
 * addition to the word. Only words that some capture contains as of the instant of the index view are compounds or evidence for one, so later
 * captures never change an answer about the past.
 *
 * @param language - the language of the query. No compounds are returned for a language that does not join compounds.
 */
export function compoundsOf(index: IndexView, { terms, words }: AnalyzedQuery, language: string): ScoringTerm[] {
  if (!analyzer.languages.of(language)?.joinsCompounds) return []
  const known = new Set(terms.map(({ term }) => term))
  const asked = new Map<string, CompoundPart>()
  for (const { term, word } of words) {
    const stem = terms[term]!.term
    if (stem.length < MIN_PART || !isPlainWord(stem) || !isPlainWord(word) || isFunctionWord(word, language)) continue
    if (asked.size < MAX_WORDS) asked.set(stem, { stem, word, written: stemTerm(word) })
  }
  const isWord = (word: string): boolean => index.collection.frequencyOf(word) > 0 && !isFunctionWord(word, language)
  return [...asked.values()].flatMap(part =>
    compoundsWith(index, part, { isWord, language })
      .filter(term => !known.has(term))
      .map(term => ({ term, count: COMPOUND, insteadOf: [part.stem] })),
  )
}

/**
 * Returns the most frequent compounds with a part; [] if too many words may be such compounds. A page with a compound contains both the word
 * as written and its stem, so the word as written is left out if its stem is a compound too.
 */
function compoundsWith(
  index: IndexView,
  part: CompoundPart,
  { isWord, language }: { isWord: (word: string) => boolean; language: string },
): string[] {
  const captures = new Map<string, number>()
  for (const [term, frequency] of frequenciesWithin(index, part)) {
    captures.set(term, (captures.get(term) ?? 0) + frequency)
    if (captures.size > MAX_EXPANSIONS) return []
  }
  const placed = new Map<string, boolean>()
  const isCompound = (term: string): boolean => {
    const known = placed.get(term) ?? (captures.has(term) && placeIn(term, part, isWord) !== undefined)
    placed.set(term, known)
    return known
  }
  // The most frequent ones come first, so that hardly more terms are tested than are returned.
  const byFrequency = [...captures.keys()].sort((a, b) => captures.get(b)! - captures.get(a)! || (a < b ? -1 : 1))
  const compounds: string[] = []
  for (let t = 0; t < byFrequency.length && compounds.length < MAX_COMPOUNDS; t++) {
    const term = byFrequency[t]!
    if (isCompound(term) && !isWrittenBeside(term, isCompound, captures, language)) compounds.push(term)
  }
  return compounds
}

/** True if the stem of a compound is a compound too, and is in at least as many captures. */
function isWrittenBeside(
  term: string,
  isCompound: (term: string) => boolean,
  captures: ReadonlyMap<string, number>,
  language: string,
): boolean {
  const stem = languageStem(term, language)
  return stem !== term && isCompound(stem) && captures.get(stem)! >= captures.get(term)!
}

/** The words of the index that contain a part, with the numbers of captures that contain them as of the instant. */
function frequenciesWithin({ collection }: IndexView, part: CompoundPart): Iterable<[term: string, captures: number]> {
  // All forms of a word contain what stem and word have in common.
  const inside = part.word.startsWith(part.stem) ? part.stem : part.stem.slice(0, MIN_PART)
  return collection.termsWithin(inside, term => placeIn(term, part, () => true) !== undefined)
}
