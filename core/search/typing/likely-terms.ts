import { beginsWithin, isWithin } from '../../text/terms/edit-distance.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import { inverseDocumentFrequency } from '../topk/term-weights.ts'
import type { TypedWord } from './typed-query.ts'

/** Certainty that a word is meant, relative to the word as typed: a word that begins with the typed letters, */
const BEGINNING = 0.8
/** a stem that lacks some of them, as `run` lacks the end of `runni`, */
const OTHER_ENDING = 0.4
/** a word with so many typos. */
const TYPOS = [0, 0.25, 0.08]

/**
 * Power of the share that a term has of the captures of the most frequent one. With 1/2 the rarity of a word in BM25 could outweigh that it is less likely.
 */
const SHARE = Number(process.env.SHARE ?? 2 / 3)

/** A term that may be meant by a word that is still typed. */
export interface LikelyTerm {
  term: string
  /** Its weight as a multiple of that of a word that certainly is meant. */
  count: number
  /** How certain it is that the term is meant, relative to the word as typed. */
  certainty: number
  /** The pattern that it matches. */
  pattern: TermPattern
}

interface Candidate {
  term: string
  captures: number
  certainty: number
  pattern: TermPattern
}

/**
 * The terms that may be meant by a word that is still typed, the most likely first. Each has the certainty of its kind, times the
 * square root of its share of the captures of the most frequent one. A rare word is not raised by its rarity over the word as typed, nor one
 * with typos over the words without.
 *
 * @param found - for each pattern of the word the numbers of captures that contain its terms. @param captures - of the whole index.
 */
export function likelyTerms(
  typed: TypedWord,
  found: ReadonlyMap<TermPattern, ReadonlyMap<string, number>>,
  { captures, ownCaptures }: { captures: number; ownCaptures: number },
): LikelyTerm[] {
  const candidates = candidatesOf(typed, found)
  const whole = !typed.isBegun || typed.own.term.startsWith(typed.own.word) ? ownCaptures : 0
  const right = candidates.filter(({ certainty }) => certainty >= OTHER_ENDING)
  const wrong = candidates.filter(({ certainty }) => certainty < OTHER_ENDING)
  const mostOf = (some: readonly Candidate[]) => some.reduce((most, { captures }) => Math.max(most, captures), 0)
  const mostRight = Math.max(mostOf(right), ownCaptures)
  const idf = (frequency: number) => inverseDocumentFrequency(captures, frequency)
  const countOf = ({ certainty, captures: own }: Candidate, most: number, limit: number): number =>
    certainty * (own / most) ** SHARE * (limit > 0 ? Math.min(1, idf(limit) / idf(own)) : 1)
  const mostWrong = mostOf(wrong)
  return [
    ...right.map(candidate => ({ ...candidate, count: countOf(candidate, Math.max(mostOf(right), whole), whole) })),
    ...wrong.map(candidate => ({ ...candidate, count: countOf(candidate, mostWrong, mostRight) })),
  ]
    .map(({ term, count, certainty, pattern }) => ({ term, count, certainty, pattern }))
    .sort((a, b) => b.count - a.count || (a.term < b.term ? -1 : 1))
}

function candidatesOf(
  { own, isBegun, patterns }: TypedWord,
  found: ReadonlyMap<TermPattern, ReadonlyMap<string, number>>,
): Candidate[] {
  const { word } = own
  const candidates = new Map<string, Candidate>()
  for (const pattern of patterns)
    for (const [term, captures] of found.get(pattern) ?? []) {
      if (candidates.has(term)) continue
      candidates.set(term, { term, captures, certainty: certaintyOf(term, pattern), pattern })
    }
  for (const term of [own.term, own.stem ?? own.term]) if (!isBegun || term.startsWith(word)) candidates.delete(term)
  return [...candidates.values()]
}

function certaintyOf(term: string, { prefix, fuzzy }: TermPattern): number {
  if (!fuzzy) return term.startsWith(prefix) ? BEGINNING : OTHER_ENDING
  const { word, begun } = fuzzy
  const isNear = isWithin(term, word, 1) || (begun !== undefined && beginsWithin(term, begun, 1))
  return TYPOS[isNear ? 1 : 2]!
}
