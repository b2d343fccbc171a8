import { isFunctionWord } from '../../text/languages/function-words.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import { partsOfSymbol } from '../../text/terms/symbols.ts'
import { checkSearchTime } from '../postings/search-time.ts'
import { frequencyOfEntry, type SegmentView } from '../postings/segment-view.ts'
import type { ParsedQuery } from '../query/parse-query.ts'
import { type ScoringTerm, scoringTerms } from '../query/scoring-terms.ts'
import { isOfLetters } from './misspelt-terms.ts'

/** What each word counts for that was found in one that nobody wrote. */
const PART = 0.6
const MOST_PARTS = 3
const LEAST_LETTERS_OF_PART = 3
/** Longer words are none: what it costs to take one apart grows with the square of its letters. */
const MOST_LETTERS = 24
/** More unknown words than these are not taken apart. */
const MOST_APART = 3

/**
 * The terms of the words that a query writes together and that no capture does as of the views' instant, as hashtags and
 * compounds do: `#NewYork`, `Zeugenaussage`. Of the ways to take a word apart into words of the captures the likeliest
 * counts, by the product of their shares in the captures; its function words are left out. `node.js` and `R&D` are taken
 * apart at their symbols.
 *
 * @param language - of the query, '' for none.
 * @param frequencies - captures that hold each of the query's terms.
 * @param captures - those as of the instant.
 * @param meantSo - terms that are never taken apart: words of known identifiers.
 * @returns terms that the query does not have yet; [] when there is nothing to take apart.
 */
export function termsWrittenTogether(
  views: readonly SegmentView[],
  { terms, words }: ParsedQuery,
  language: string,
  {
    frequencies,
    captures,
    meantSo,
  }: { frequencies: readonly number[]; captures: number; meantSo: ReadonlySet<string> },
): ScoringTerm[] {
  const known = new Set(terms.map(({ term }) => term))
  const isUnknown = (number: number): boolean => {
    const { term } = terms[number]
    // A word is known in the form as written too, where no page has its stem.
    const asWritten = terms.findIndex(({ beside }) => beside === term)
    return frequencies[number] === 0 && !(asWritten >= 0 && frequencies[asWritten] > 0) && !meantSo.has(term)
  }
  const unknown = new Set(
    words
      .filter(({ term, word }) => isUnknown(term) && word.length <= MOST_LETTERS)
      .filter(({ word }) => isOfLetters(word) || partsOfSymbol(word).length > 0)
      .map(({ word }) => word),
  )
  const parts = [...unknown].slice(0, MOST_APART).flatMap(word => {
    const written = partsOfSymbol(word)
    if (written.length > 0) return written
    const shares = new Map<string, number>()
    const shareOf = (part: string): number => {
      const share = shares.get(part) ?? holding(views, part, language) / captures
      shares.set(part, share)
      return share
    }
    return likeliestParts(word, shareOf)
  })
  const meant = parts.filter(part => !isFunctionWord(part, language)).flatMap(part => queryTerms(part, language))
  return scoringTerms(meant, [])
    .filter(({ term }) => !known.has(term))
    .map(({ term, count, ...rest }) => ({ term, count: PART * count, ...rest }))
}

/** The words that a word consists of, two at least; [] when it does not consist of any. */
function likeliestParts(word: string, shareOf: (part: string) => number): string[] {
  let likeliest: string[] = []
  let most = 0
  const takeApart = (from: number, before: readonly string[], likelihood: number): void => {
    if (before.length < MOST_PARTS - 1)
      for (let to = from + LEAST_LETTERS_OF_PART; to <= word.length - LEAST_LETTERS_OF_PART; to++) {
        const part = word.slice(from, to)
        const next = likelihood * shareOf(part)
        if (next > most) takeApart(to, [...before, part], next)
      }
    if (before.length === 0) return
    const last = word.slice(from)
    const whole = likelihood * shareOf(last)
    if (whole <= most) return
    most = whole
    likeliest = [...before, last]
  }
  takeApart(0, [], 1)
  return likeliest
}

/** Captures that hold a word as of the views' instant. */
function holding(views: readonly SegmentView[], word: string, language: string): number {
  checkSearchTime()
  const [first, ...more] = queryTerms(word, language)
  if (!first || more.length > 0) return 0
  const term = first.stem ?? first.term
  return views.reduce((sum, view) => {
    // Not by way of the cache, which nearly all parts would enter for nothing.
    const entry = view.segment.dictionary.find(term)
    return sum + (entry ? frequencyOfEntry(view, entry) : 0)
  }, 0)
}
