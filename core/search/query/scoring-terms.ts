import { onlyEnding } from '../../segment/positions/place.ts'
import { analyzer } from '../../text/languages/analyzers.ts'
import { inflectionsOf } from '../../text/languages/inflections.ts'
import { identifierKey, mayBeIdentifier } from '../../text/terms/identifier.ts'
import { propertyTerm } from '../../text/terms/property-term.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'
import { stemTerm } from '../../text/terms/term-interner.ts'

/** A word of ASCII letters and digits that has a letter. */
const ASCII_WORD = /^\d*[a-z][a-z\d]*$/

/** A term that scores, and how often it occurs in the query. */
export interface ScoringTerm {
  term: string
  /** Less than 1 for a secondary form of a word. */
  count: number
  /** Set only for a secondary form, such as the word as written: the term of the primary form, the stem. */
  beside?: string
  /** True for a secondary form that is the word without its umlauts. */
  isSpelledOut?: boolean
  /**
   * Set only for an alternative to other words of the query: the terms of these words. The alternative weighs as if it were in as many captures
   * as the rarest of them.
   */
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

/**
 * Terms that must occur at the given offsets from one another. A single term may occur anywhere. If `endings` is set, the term must be
 * written with one of this set of endings, see `place.ts`.
 */
export type Phrase = { term: string; offset: number; endings?: number | undefined }[]

/**
 * Weight of a word as written, relative to its stem. It finds pages in other languages, and ranks pages higher that contain
 * the exact form.
 */
const EXACT_FORM = 0.3
/** Weight of an alternative, relative to the words that it stands for. */
export const ALTERNATIVE = 0.7
/**
 * Weight of each letter of `U.S.A.`. It is low, because a page with one of the letters hardly means that name. Together the letters are a
 * phrase, see `otherSpellings`.
 */
const INITIAL = 0.2
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
    for (const { term, stem, dictionary, spelledOut, functionWord, isInitial } of part) {
      if (functionWord && hasContent && part === parts[0]) continue
      if (isInitial) {
        add(term, INITIAL)
        continue
      }
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
  return [...wordForms(terms), ...identifierForms(text)]
}

function wordForms(terms: readonly QueryTerm[]): Phrase[] {
  const exact = phraseOf(terms, ({ term }) => term)
  return hasOwnStems(terms) ? [exact, phraseOf(terms, ({ term, stem = term }) => stem)] : [exact]
}

/** Returns the forms of a phrase whose words must be written as in the query. @param text - as for {@link phraseForms}. */
export function writtenForms(terms: readonly QueryTerm[], text = ''): Phrase[] {
  const written = phraseOf(
    terms,
    ({ term }) => term,
    ({ ending }) => onlyEnding(ending),
  )
  return [written, ...identifierForms(text)]
}

/**
 * Returns the forms of a phrase whose words may also have other inflections than in the query.
 *
 * @param text - as for {@link phraseForms}.
 * @param asked - words that the query asks for. An inflection that is one of them does not match, because excluding one form must not
 *   exclude another form that is asked for. Default: no words.
 */
export function inflectedForms(terms: readonly QueryTerm[], text = '', asked: readonly QueryTerm[] = []): Phrase[] {
  const inflected = phraseOf(
    terms,
    ({ term }) => term,
    word => inflectedEndings(word, asked),
  )
  // On a page in another language than English, a stem is a term of its own.
  const stems = terms.some(({ stem }) => stem !== undefined) ? [phraseOf(terms, ({ term, stem = term }) => stem)] : []
  return [inflected, ...stems, ...identifierForms(text)]
}

function inflectedEndings({ word, term, ending }: QueryTerm, asked: readonly QueryTerm[]): number {
  let endings = 0
  for (const form of inflectionsOf(word))
    if (stemTerm(form) === term && analyzer.hasFrequentEnding(form, term))
      endings |= onlyEnding(analyzer.endingOf(form, term))
  for (const other of asked) if (other.term === term) endings &= ~onlyEnding(other.ending)
  return endings | onlyEnding(ending)
}

function identifierForms(text: string): Phrase[] {
  return mayBeIdentifier(text) ? [[{ term: propertyTerm('id', identifierKey(text)), offset: 0 }]] : []
}

/** True if a word has a stem in the language of the query that differs from its term. */
function hasOwnStems(terms: readonly QueryTerm[]): boolean {
  return terms.some(({ term, stem = term }) => stem !== term)
}

function phraseOf(
  terms: readonly QueryTerm[],
  termOf: (term: QueryTerm) => string,
  endingsOf?: (term: QueryTerm) => number,
): Phrase {
  return terms.map(term => ({
    term: termOf(term),
    offset: term.position - terms[0]!.position,
    // A term with other characters is always written in the same way, because only words of ASCII letters and digits are stemmed or joined.
    endings: endingsOf && ASCII_WORD.test(term.word) ? endingsOf(term) : undefined,
  }))
}

/** A phrase that is not required, but raises the score of pages that contain it. */
export interface FavoredPhrase {
  /** A page contains the phrase if it contains one of these. */
  forms: Phrase[]
  /** The terms of the phrase; the sum of their weights is the weight of the phrase. */
  terms: ScoringTerm[]
  /** A page that contains this term gains nothing by the phrase. Default: every page with the phrase gains. */
  unless?: string
}

export function favoredPhrase(terms: readonly QueryTerm[]): FavoredPhrase {
  return { forms: phraseForms(terms), terms: scoringTerms([terms]) }
}
