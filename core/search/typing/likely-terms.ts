import { beginsWithin, isWithinEdits } from '@asof/extract/characters'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { inverseDocumentFrequency } from '../topk/term-weights.ts'
import type { TypedWord } from './typed-query.ts'

/** Certainty that a word which begins with the typed letters is meant. The word as typed has certainty 1. */
const BEGINNING = 0.8
/** Certainty that a stem is meant which lacks some of the typed letters, as `run` lacks the end of `runni`. */
const OTHER_ENDING = 0.4
/** Certainty that a word is meant from which the typed letters differ by 0, 1 or 2 typos. The first number is never used. */
const TYPOS = [0, 0.25, 0.08]

/**
 * Exponent of the number of captures of a term, divided by that of the most frequent term. BM25F gives rare words a higher weight. With the
 * exponent 1/2, that could outweigh that a rare word is less likely to be meant.
 */
const SHARE_EXPONENT = 2 / 3

/** A term that may be meant by a word of a query that somebody is still typing. */
export interface LikelyTerm {
  term: string
  /** Its weight as a multiple of that of a word that certainly is meant. */
  count: number
  /** How certain it is that the term is meant, relative to the word as typed. */
  certainty: number
  /** The pattern that it matches. */
  pattern: TermPattern
}

interface PossibleTerm {
  term: string
  captures: number
  certainty: number
  pattern: TermPattern
}

/**
 * Returns the terms that may be meant by a word of a query that somebody is still typing, the most likely first. The weight of a term is its
 * certainty, times a power ({@link SHARE_EXPONENT}) of its share of the captures of the most frequent term. The rarity of a word does not raise
 * it over the word as typed, and the rarity of a word with typos does not raise it over the words without typos.
 *
 * @param found - for each pattern of the word the numbers of captures that contain its terms.
 * @param options.captures - number of captures in the whole index.
 * @param options.ownCaptures - number of captures that contain the word as typed.
 */
export function likelyTerms(
  typed: TypedWord,
  found: ReadonlyMap<TermPattern, ReadonlyMap<string, number>>,
  { captures, ownCaptures }: { captures: number; ownCaptures: number },
): LikelyTerm[] {
  const possible = possibleTermsOf(typed, found)
  const whole = !typed.isBegun || typed.own.term.startsWith(typed.own.word) ? ownCaptures : 0
  const right = possible.filter(({ certainty }) => certainty >= OTHER_ENDING)
  const wrong = possible.filter(({ certainty }) => certainty < OTHER_ENDING)
  const mostOf = (some: readonly PossibleTerm[]) => some.reduce((most, { captures }) => Math.max(most, captures), 0)
  const mostRight = mostOf(right)
  const mostWrong = mostOf(wrong)
  const idf = (frequency: number) => inverseDocumentFrequency(captures, frequency)
  const countOf = ({ certainty, captures: own }: PossibleTerm, most: number, limit: number): number =>
    certainty * (own / most) ** SHARE_EXPONENT * (limit > 0 ? Math.min(1, idf(limit) / idf(own)) : 1)
  return [
    ...right.map(term => ({ ...term, count: countOf(term, Math.max(mostRight, whole), whole) })),
    ...wrong.map(term => ({
      ...term,
      count: countOf(term, mostWrong, Math.max(mostRight, ownCaptures)),
    })),
  ]
    .map(({ term, count, certainty, pattern }) => ({ term, count, certainty, pattern }))
    .sort((a, b) => b.count - a.count || (a.term < b.term ? -1 : 1))
}

function possibleTermsOf(
  { own, isBegun, patterns }: TypedWord,
  found: ReadonlyMap<TermPattern, ReadonlyMap<string, number>>,
): PossibleTerm[] {
  const { word } = own
  const possible = new Map<string, PossibleTerm>()
  for (const pattern of patterns)
    for (const [term, captures] of found.get(pattern) ?? []) {
      if (possible.has(term)) continue
      possible.set(term, { term, captures, certainty: certaintyOf(term, pattern), pattern })
    }
  for (const term of [own.term, own.stem ?? own.term]) if (!isBegun || term.startsWith(word)) possible.delete(term)
  return [...possible.values()]
}

function certaintyOf(term: string, { prefix, fuzzy }: TermPattern): number {
  if (!fuzzy) return term.startsWith(prefix) ? BEGINNING : OTHER_ENDING
  const { word, begun } = fuzzy
  const isNear = isWithinEdits(term, word, 1) || (begun !== undefined && beginsWithin(term, begun, 1))
  return TYPOS[isNear ? 1 : 2]!
}
