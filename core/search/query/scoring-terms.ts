import { fieldTerm } from '../../text/terms/field-term.ts'
import { identifierKey, mayBeIdentifier } from '../../text/terms/identifier.ts'
import type { QueryTerm } from '../../text/terms/query-terms.ts'

/** A term that scores, and how often the query says it. */
export interface ScoringTerm {
  term: string
  /** Less than 1 for a form that stands beside a better one. */
  count: number
  /** The better one: the stem of the word in its language, of which this is the form as written. */
  beside?: string
}

/** A word of the query that scores. */
export interface QueryWord {
  /** The number of its term among those of the query. */
  term: number
  /** Folded, but not stemmed. */
  word: string
  /** Words that follow one another in the query stand as far apart; parts of it lie far from one another. */
  position: number
}

/** Terms that must stand at the given distances from one another. One term alone is a plain condition. */
export type Phrase = { term: string; offset: number }[]

/**
 * What the word as written counts for beside its stem: it finds pages in other languages, and prefers those that write
 * it so.
 */
const EXACT_FORM = 0.3
/** What each pair of neighbouring characters counts for beside the words of a dictionary. */
const NEIGHBOURS = 0.3

/** Plain function words score only where there is nothing else (see the `realtime` profile); quoted ones are meant. */
export function scoringTerms(plain: readonly QueryTerm[], quoted: readonly QueryTerm[]): ScoringTerm[] {
  const content = [...plain.filter(term => !term.functionWord), ...quoted]
  const scoring = new Map<string, ScoringTerm>()
  const add = (term: string, count: number, beside?: string): void => {
    const known = scoring.get(term)
    if (known) known.count += count
    else scoring.set(term, { term, count, ...(beside !== undefined && { beside }) })
  }
  for (const { term, stem, dictionary } of content.length > 0 ? content : plain) {
    if (dictionary) for (const word of dictionary) add(word, 1)
    if (stem === undefined) add(term, dictionary ? NEIGHBOURS : 1)
    else {
      add(stem, 1)
      if (stem !== term) add(term, EXACT_FORM, stem)
    }
  }
  return [...scoring.values()]
}

/** Positions between the parts of a query: more than any two words are looked for within. */
const PART_GAP = 1000

/** Of each part the words that score. */
export function wordsOf(parts: readonly QueryTerm[][], terms: readonly ScoringTerm[]): QueryWord[] {
  const numbers = new Map(terms.map(({ term }, number) => [term, number]))
  const hasContent = parts.some((part, p) => part.some(({ functionWord }) => p > 0 || !functionWord))
  let before = 0
  return parts.flatMap((part, p) => {
    const from = before
    before += (part.at(-1)?.position ?? 0) + PART_GAP
    return part.flatMap(({ term, stem, word, position, functionWord }): QueryWord[] => {
      const number = numbers.get(stem ?? term)
      if (number === undefined || (functionWord && hasContent && p === 0)) return []
      return [{ term: number, word, position: from + position }]
    })
  })
}

/**
 * The forms of a phrase, any of which fulfils it: as written and, where these differ, by the stems of its language; and,
 * for text that may be an identifier, the identifier in a page's data.
 *
 * @param text - what the terms are of. Default: text that is no identifier.
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

/** A phrase that a page need not have: one that has it ranks higher. */
export interface FavoredPhrase {
  /** Any of which fulfils it. */
  forms: Phrase[]
  /** What the phrase is worth: its words, as often as it says them. */
  terms: ScoringTerm[]
}

export function favoredPhrase(terms: readonly QueryTerm[]): FavoredPhrase {
  return { forms: phraseForms(terms), terms: scoringTerms(terms, []) }
}
