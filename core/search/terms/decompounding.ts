import { checkSearchTime } from '../../postings/search-time.ts'
import { isFunctionWord } from '../../text/languages/function-words.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import { partsOfSymbol } from '../../text/terms/symbols.ts'
import type { AnalyzedQuery } from '../analysis/analyze-query.ts'
import { DIVIDED, dividedPhrase } from '../analysis/other-spellings.ts'
import type { IndexView } from '../collection/index-view.ts'
import { type FavoredPhrase, type ScoringTerm, scoringTerms } from '../query/scoring-terms.ts'
import { isOfLetters } from './spelling-corrections.ts'

/** Weight of a part of a compound, relative to a word of the query. */
const PART = 0.6
const MAX_PARTS = 3
const MIN_LETTERS_OF_PART = 3
/** Longer words are not split: the cost grows with the square of the number of letters. */
const MAX_LETTERS = 24
/** Maximum number of words of a query that are split. */
const MAX_SPLIT = 3

/**
 * Splits the compounds and hashtags of a query, such as `Zeugenaussage` and `#NewYork`, that no capture contains as of the instant of the index
 * view, and returns the terms of their parts. Of all ways to split a word into words of the index the likeliest one wins, by the product of the
 * shares of captures that contain each part; function words among the parts are left out. `node.js` and `R&D` are split at their symbols.
 *
 * @param language - the language of the query, '' for none.
 * @param options.frequencies - for each term of the query the number of captures that contain it.
 * @param options.captures - number of captures as of the instant.
 * @param options.kept - terms that are never split: words of known identifiers, and words with alternatives.
 * @param options.mayBeParts - true if a word may be split into these parts. It is not called for words with symbols, such as `node.js`.
 * @returns terms that the query does not have yet; [] if no word can be split.
 */
export function decompound(
  index: IndexView,
  { terms, words }: AnalyzedQuery,
  language: string,
  {
    frequencies,
    captures,
    kept,
    mayBeParts,
  }: {
    frequencies: readonly number[]
    captures: number
    kept: ReadonlySet<string>
    mayBeParts: (parts: readonly string[]) => boolean
  },
): ScoringTerm[] {
  const known = new Set(terms.map(({ term }) => term))
  const unknown = new Set(
    words
      .filter(
        ({ term, word }) =>
          isUnknown(terms, frequencies, term) && !kept.has(terms[term]!.term) && word.length <= MAX_LETTERS,
      )
      .filter(({ word }) => isOfLetters(word) || partsOfSymbol(word).length > 0)
      .map(({ word }) => word),
  )
  const parts = [...unknown].slice(0, MAX_SPLIT).flatMap(word => {
    const written = partsOfSymbol(word)
    if (written.length > 0) return written
    const shares = new Map<string, number>()
    const shareOf = (part: string): number => {
      const share = shares.get(part) ?? frequencyOf(index, part, language) / captures
      shares.set(part, share)
      return share
    }
    const likeliest = likeliestParts(word, shareOf)
    return likeliest.length > 0 && mayBeParts(likeliest) ? likeliest : []
  })
  const meant = parts.filter(part => !isFunctionWord(part, language)).flatMap(part => queryTerms(part, language))
  return scoringTerms([meant])
    .filter(({ term }) => !known.has(term))
    .map(({ term, count, ...rest }) => ({ term, count: PART * count, ...rest }))
}

/** True if no capture contains the term with this number. If the term is a stem, no capture may contain the word as written either. */
export function isUnknown(terms: readonly ScoringTerm[], frequencies: readonly number[], number: number): boolean {
  const asWritten = terms.findIndex(({ beside }) => beside === terms[number]!.term)
  return frequencies[number] === 0 && !(asWritten >= 0 && frequencies[asWritten]! > 0)
}

/**
 * The likeliest split of a word into at least two words; [] if there is none.
 *
 * @param shareOf - share of captures that contain a part.
 */
function likeliestParts(word: string, shareOf: (part: string) => number): string[] {
  let likeliest: string[] = []
  let most = 0
  const split = (from: number, before: readonly string[], likelihood: number): void => {
    if (before.length < MAX_PARTS - 1)
      for (let to = from + MIN_LETTERS_OF_PART; to <= word.length - MIN_LETTERS_OF_PART; to++) {
        const part = word.slice(from, to)
        const next = likelihood * shareOf(part)
        if (next > most) split(to, [...before, part], next)
      }
    if (before.length === 0) return
    const last = word.slice(from)
    const whole = likelihood * shareOf(last)
    if (whole <= most) return
    most = whole
    likeliest = [...before, last]
  }
  split(0, [], 1)
  return likeliest
}

/**
 * True if both words are in the index, not necessarily in the same capture. The longer one is looked up first, because it is less likely to
 * be a word.
 */
function areWords(index: IndexView, [first, second]: readonly [string, string]): boolean {
  const [longer, shorter] = first.length > second.length ? [first, second] : [second, first]
  return frequencyOf(index, longer, '') > 0 && frequencyOf(index, shorter, '') > 0
}

/** Number of captures that contain a word as of the instant of the index view. */
function frequencyOf(index: IndexView, word: string, language: string): number {
  checkSearchTime()
  const [first, ...more] = queryTerms(word, language)
  if (!first || more.length > 0) return 0
  return index.collection.frequencyOf(first.stem ?? first.term)
}

/** Minimum number of letters of the second part of a word that is divided. The first part may be a single letter: `e mail`. */
const MIN_SECOND = 2

/**
 * Returns phrases for the words of letters in a query: the ways to write each as two words of the index that follow one another, such as
 * `plug in` for `plugin`. The ways depend on no language, so a match must contain one of them as a phrase. {@link decompound} splits
 * compounds that no capture contains.
 *
 * @param frequencies - for each term of the query the number of captures that contain it.
 */
export function dividedAnywhere(
  index: IndexView,
  { terms, words }: AnalyzedQuery,
  frequencies: readonly number[],
): FavoredPhrase[] {
  const scoring = words.filter(({ word }) => isOfLetters(word) && word.length <= MAX_LETTERS).slice(0, MAX_SPLIT)
  return scoring.flatMap(({ word, term }) => {
    const divisions: (readonly [string, string])[] = []
    for (let at = 1; at <= word.length - MIN_SECOND; at++) {
      const parts = [word.slice(0, at), word.slice(at)] as const
      const isCompound = isUnknown(terms, frequencies, term) && parts.every(part => part.length >= MIN_LETTERS_OF_PART)
      if (!isCompound && areWords(index, parts)) divisions.push(parts)
    }
    const [asked] = queryTerms(word)
    if (!asked || divisions.length === 0) return []
    // If no capture contains the stem, the weight of the word is that of the word as written.
    const secondary = terms.find(({ beside }) => beside === terms[term]!.term)
    const whole = frequencies[term] === 0 && secondary ? secondary : terms[term]!
    return [
      {
        ...dividedPhrase(asked, ...divisions),
        terms: [{ term: whole.term, count: DIVIDED * Math.min(1, whole.count) }],
        unless: whole.term,
      },
    ]
  })
}
