import type { TermPart } from '../../engine.ts'
import { contribution } from '../../kernels/contribution.ts'
import type { Hit } from '../../kernels/top-hits.ts'
import type { Segment } from '../../segment/segment.ts'
import type { BlockBuffers } from '../postings/block-buffers.ts'
import { openPhrase, type PhraseMatcher } from '../postings/phrase-matcher.ts'
import { PostingCursors } from '../postings/posting-cursor.ts'
import type { AnalyzedQuery } from '../query/analyze-query.ts'
import type { FavoredPhrase } from '../query/scoring-terms.ts'

/** Weight of a phrase, relative to the sum of the weights of its words. */
const PHRASE = 1

/** A favored phrase (one that raises scores but is not required), with its weight as of an instant. */
export interface WeightedPhrase extends FavoredPhrase {
  /** In fixed-point units. */
  weight: number
  /** Contribution to the score of a capture that contains the phrase, in fixed-point units. */
  score: number
}

/**
 * The favored phrases of a query. Each scores like one more word that occurs once in a page of average length and whose
 * weight is the sum of the weights of the words of the phrase. So the boost depends only on the statistics of the words, and
 * no capture has to be read to count how many contain the phrase.
 *
 * @param weights - of the terms of the query, in fixed-point units. All boosts together stay below a third of their sum.
 */
export function weightedPhrases({ favored = [], terms }: AnalyzedQuery, weights: Float64Array): WeightedPhrase[] {
  if (favored.length === 0) return []
  const weightOf = new Map(terms.map(({ term, count }, t) => [term, weights[t]! / count]))
  return favored.map(phrase => {
    const weight = PHRASE * phrase.terms.reduce((sum, { term, count }) => sum + count * (weightOf.get(term) ?? 0), 0)
    return { ...phrase, weight, score: weight > 0 ? contribution(weight, 1, 1, 1) : 0 }
  })
}

/** A favored phrase in one segment. */
interface OpenPhrase {
  score: number
  forms: PhraseMatcher[]
  /**
   * For each form and each of its words the quantized impacts by window: 0 only if no capture of the window
   * contains the word.
   */
  impacts: Uint8Array[][]
}

/** The favored phrases of a query in one segment. */
export class FavoredPhrases {
  readonly #phrases: OpenPhrase[]

  constructor(segment: Segment, phrases: readonly WeightedPhrase[], cursors: PostingCursors) {
    this.#phrases = phrases.flatMap(({ forms, score }): OpenPhrase[] => {
      const open = forms.map(form => openPhrase(segment, form, cursors)).filter(form => form !== undefined)
      if (open.length === 0 || score === 0) return []
      return [
        { score, forms: open, impacts: open.map(form => form.cursors.map(({ list }) => list.windowMaxImpacts())) },
      ]
    })
  }

  get isEmpty(): boolean {
    return this.#phrases.length === 0
  }

  /** Upper bound of the boost of a capture in a window. */
  maxBoost(window: number): number {
    let most = 0
    for (const { score, impacts } of this.#phrases)
      if (impacts.some(words => words.every(ofWord => ofWord[window]! > 0))) most += score
    return most
  }

  /** The boost of a capture. */
  boostOf(ordinal: number): number {
    let sum = 0
    for (const { score, forms } of this.#phrases) if (forms.some(form => form.matches(ordinal))) sum += score
    return sum
  }
}

/** The contribution of each favored phrase that a hit contains. */
export function favoredParts(
  { segment, ordinal }: Hit,
  phrases: readonly WeightedPhrase[],
  { scale, averageLength, buffers }: { scale: number; averageLength: number; buffers: BlockBuffers },
): TermPart[] {
  return phrases.flatMap(phrase => {
    if (phrase.score === 0 || new FavoredPhrases(segment, [phrase], new PostingCursors(buffers)).boostOf(ordinal) === 0)
      return []
    const [asWritten = []] = phrase.forms
    const term = `"${asWritten.map(({ term }) => term).join(' ')}"`
    return [{ term, weight: phrase.weight / scale, frequency: 1, length: averageLength, score: phrase.score / scale }]
  })
}
