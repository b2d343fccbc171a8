import { fieldTerm } from '../../text/terms/field-term.ts'
import { identifierKey, mayBeIdentifier } from '../../text/terms/identifier.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'

/** A term that scores, and how often it occurs in the query. */
export interface ScoringTerm {
  term: string
  /** Less than 1 for a secondary form of a word. */
  count: number
  /** Set only for a secondary form (a word as written): the term that is its primary form, the stem. */
  beside?: string
  /** True for a secondary form that is the word without its umlauts. */
  isSpelledOut?: boolean
  /** Set only for an alternative of other words of the query: their terms. Its weight is that of the rarest of them. */
  insteadOf?: readonly string[]
}

/** A word of the query that scores. */
export interface QueryWord {
  /** Index of its term among the scoring terms of the query. */
  term: number
  /** Folded, but not stemmed. */
  word: string
  /** Position in the query. The parts of a query (plain words, each phrase) are far apart. */
  position: number
}

/** Terms that must occur at the given offsets from one another. A single term may occur anywhere. */
export type Phrase = { term: string; offset: number }[]

/**
 * Weight of a word as written, relative to its stem. It finds pages in other languages, and ranks pages higher that contain
 * the exact form.
 */
const EXACT_FORM = 0.3
/** Weight of a character bigram, relative to the dictionary words of the same text. */
const BIGRAM = 0.3

/**
 * The scoring terms of a query. Unquoted function words score only if there are no other words; quoted ones always score.
 *
 * @param parts - the plain words, then each phrase.
 */
export function scoringTerms(parts: readonly (readonly QueryTerm[])[]): ScoringTerm[] {
  const hasContent = hasContentWord(parts)
  const scoring = new Map<string, ScoringTerm>()
  const add = (term: string, count: number, beside?: string, isSpelledOut?: boolean): void => {
    const known = scoring.get(term)
    if (known) known.count += count
    else scoring.set(term, { term, count, beside, isSpelledOut })
  }
  for (const part of parts)
    for (const { term, stem, dictionary, spelledOut, functionWord } of part) {
      if (functionWord && hasContent && part === parts[0]) continue
      if (dictionary) for (const word of dictionary) add(word, 1)
      if (stem === undefined) add(term, dictionary ? BIGRAM : 1)
      else {
        add(stem, 1)
        if (stem !== term) add(term, EXACT_FORM, stem)
      }
      if (spelledOut !== undefined && spelledOut !== (stem ?? term)) add(spelledOut, EXACT_FORM, stem ?? term, true)
    }
  return [...scoring.values()]
}

/** True if a word is quoted or not a function word. */
function hasContentWord(parts: readonly (readonly QueryTerm[])[]): boolean {
  return parts.some((part, p) => part.some(({ functionWord }) => p > 0 || !functionWord))
}

/** Number of positions between the parts of a query; more than the maximum distance of any two words that are related. */
const PART_GAP = 1000

/** The words that score, with their positions. @param parts - the plain words, then each phrase. */
export function wordsOf(parts: readonly (readonly QueryTerm[])[], terms: readonly ScoringTerm[]): QueryWord[] {
  const numbers = new Map<string, number>()
  for (const { term } of terms) numbers.set(term, numbers.size)
  const hasContent = hasContentWord(parts)
  const words: QueryWord[] = []
  let from = 0
  for (const part of parts) {
    for (const { term, stem, word, position, functionWord } of part) {
      const number = numbers.get(stem ?? term)
      if (number === undefined || (functionWord && hasContent && part === parts[0])) continue
      words.push({ term: number, word, position: from + position })
    }
    from += (part.at(-1)?.position ?? 0) + PART_GAP
  }
  return words
}

/**
 * The forms of a phrase. A page matches the phrase if it contains one of them. The forms are the words as written, their
 * stems in the language of the query if these differ, and, if the text may be an identifier, the term under which pages
 * with that identifier are indexed.
 *
 * @param text - the text of the phrase, to test if it may be an identifier. Default: not tested.
 */
export function phraseForms(terms: readonly QueryTerm[], text = ''): Phrase[] {
  const identifier = mayBeIdentifier(text) ? [[{ term: fieldTerm('id', identifierKey(text)), offset: 0 }]] : []
  return [...wordForms(terms), ...identifier]
}

function wordForms(terms: readonly QueryTerm[]): Phrase[] {
  const phraseOf = (termOf: (term: QueryTerm) => string): Phrase =>
    terms.map(term => ({ term: termOf(term), offset: term.position - terms[0]!.position }))
  const exact = phraseOf(({ term }) => term)
  if (terms.every(({ term, stem = term }) => stem === term)) return [exact]
  return [exact, phraseOf(({ term, stem = term }) => stem)]
}

/** A phrase that is not required, but raises the score of pages that contain it. */
export interface FavoredPhrase {
  /** A page contains the phrase if it contains one of these. */
  forms: Phrase[]
  /** The terms of the phrase; the sum of their weights is the weight of the phrase. */
  terms: ScoringTerm[]
}

export function favoredPhrase(terms: readonly QueryTerm[]): FavoredPhrase {
  return { forms: phraseForms(terms), terms: scoringTerms([terms]) }
}
