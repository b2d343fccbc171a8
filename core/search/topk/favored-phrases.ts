import type { TermPart } from '../../engine.ts'
import type { Segment } from '../../segment/segment.ts'
import { openPhrase, type PhraseMatcher } from '../postings/phrase-matcher.ts'
import { ListProbes } from '../postings/posting-cursor.ts'
import type { ParsedQuery } from '../query/parse-query.ts'
import type { FavoredPhrase } from '../query/scoring-terms.ts'
import { contribution } from './contribution.ts'
import type { Hit } from './top-hits.ts'

/** What a phrase counts for, in the worth of its words. */
const PHRASE = 1

/** A favored phrase with its worth as of an instant. */
export interface WeighedPhrase extends FavoredPhrase {
  /** In fixed-point units. */
  weight: number
  /** What a capture that has the phrase gains, in fixed-point units. */
  score: number
}

/**
 * The favored phrases of a query. Each scores as one more word would that a page of average length says once, and that
 * is worth what the phrase's own words are worth together: so it depends on the statistics of the words alone, and no
 * capture has to be read to count how many have the phrase.
 *
 * @param weights - of the query's terms, in fixed-point units; all gains together stay below a third of their sum.
 */
export function weighedPhrases({ favored = [], terms }: ParsedQuery, weights: Float64Array): WeighedPhrase[] {
  if (favored.length === 0) return []
  const worth = new Map(terms.map(({ term, count }, t) => [term, weights[t] / count]))
  return favored.map(phrase => {
    const weight = PHRASE * phrase.terms.reduce((sum, { term, count }) => sum + count * (worth.get(term) ?? 0), 0)
    return { ...phrase, weight, score: weight > 0 ? contribution(weight, 1, 1, 1) : 0 }
  })
}

/** A favored phrase in one segment. */
interface OpenPhrase {
  score: number
  forms: PhraseMatcher[]
  /** Per form the bound codes of its words by window: 0 where no capture has the word. */
  codes: Uint8Array[][]
}

/** The favored phrases of a query in one segment. */
export class FavoredPhrases {
  readonly #phrases: OpenPhrase[]

  constructor(segment: Segment, phrases: readonly WeighedPhrase[], probes: ListProbes) {
    this.#phrases = phrases.flatMap(({ forms, score }): OpenPhrase[] => {
      const open = forms.map(form => openPhrase(segment, form, probes)).filter(form => form !== undefined)
      if (open.length === 0 || score === 0) return []
      return [{ score, forms: open, codes: open.map(form => form.probes.map(({ list }) => list.windowBounds())) }]
    })
  }

  get isEmpty(): boolean {
    return this.#phrases.length === 0
  }

  /** The most that a capture of a window may gain. */
  mostIn(window: number): number {
    let most = 0
    for (const { score, codes } of this.#phrases)
      if (codes.some(words => words.every(ofWord => ofWord[window] > 0))) most += score
    return most
  }

  /** What a capture gains. */
  scoreOf(ordinal: number): number {
    let sum = 0
    for (const { score, forms } of this.#phrases) if (forms.some(form => form.matches(ordinal))) sum += score
    return sum
  }
}

/** What each favored phrase that a hit has adds to its score. */
export function favoredParts(
  { segment, ordinal }: Hit,
  phrases: readonly WeighedPhrase[],
  { scale, averageLength }: { scale: number; averageLength: number },
): TermPart[] {
  return phrases.flatMap(phrase => {
    if (phrase.score === 0 || new FavoredPhrases(segment, [phrase], new ListProbes()).scoreOf(ordinal) === 0) return []
    const term = `"${phrase.forms[0].map(({ term }) => term).join(' ')}"`
    return [{ term, weight: phrase.weight / scale, frequency: 1, length: averageLength, score: phrase.score / scale }]
  })
}
