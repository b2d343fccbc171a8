import type { IndexView } from '../collection/index-view.ts'
import { type WordInField, wordsInField } from '../fields/words-in-fields.ts'
import type { ScoringTerm } from '../query/scoring-terms.ts'
import type { HitOptions } from './ranked-hits.ts'

/** A word of the query in the values of a field. */
export interface FieldWord extends WordInField {
  field: string
  /** Number of the word among the terms of the query. */
  number: number
  /** The weight of the field. */
  factor: number
}

/** The words of a query in the fields that are searched. */
export function fieldWords(
  index: IndexView,
  terms: readonly ScoringTerm[],
  { fieldWeights = {}, language = '' }: HitOptions,
  ofTexts: readonly string[],
): FieldWord[] {
  return Object.entries(fieldWeights).flatMap(([field, factor]) => {
    if (ofTexts.includes(field)) return []
    const words = terms.map(({ term }) => term)
    const found = factor > 0 ? wordsInField(index, field, words, language) : new Map<string, WordInField>()
    return words.flatMap((word, number) => {
      const inField = found.get(word)
      return inField ? [{ ...inField, field, number, factor }] : []
    })
  })
}

/** The most that words in fields can add to a score, relative to the sum of the weights of the words. A boost adds a third of its weight. */
export function fieldHeadroom({ fieldWeights = {} }: HitOptions): number {
  return Object.values(fieldWeights).reduce((sum, weight) => sum + weight / 3, 0)
}
