import type { TypedFilter } from '../../fields/typed-filter.ts'
import { contribution } from '../../kernels/contribution.ts'
import type { TopKBoost } from '../../kernels/topk-query.ts'
import { type Clause, nothing } from '../clauses/clause.ts'
import { type Condition, phraseCondition, termCondition } from '../conditions/condition.ts'
import type { TermPattern } from '../conditions/term-pattern.ts'
import type { FavoredPhrase, ScoringTerm } from '../query/scoring-terms.ts'
import type { TitleBoost } from './title-weight.ts'

/** Weight of a phrase, relative to the sum of the weights of its words. */
const PHRASE = 1

/** Raises the scores of the captures that fulfill a condition, like one more word that occurs once in a page of average length. */
export interface Boost {
  /** Its name in the parts of a score. */
  term: string
  /** A capture is boosted if it fulfills one of these. */
  forms: readonly Condition[]
  /** The weight from which the score is computed, in fixed-point units. */
  weight: number
  /** Contribution to the score of a capture that is boosted, in fixed-point units. */
  score: number
}

/**
 * The boosts by the favored phrases of a query. The weight of each is the sum of the weights of the words of the phrase. So the boost depends
 * only on the statistics of the words, and no capture has to be read to count how many contain the phrase.
 *
 * @param weights - the weights of the terms of the query, in fixed-point units.
 */
export function phraseBoosts(
  favored: readonly FavoredPhrase[],
  terms: readonly ScoringTerm[],
  weights: Float64Array,
): Boost[] {
  if (favored.length === 0) return []
  const weightOf = new Map(terms.map(({ term, count }, t) => [term, weights[t]! / count]))
  return favored.flatMap(phrase => {
    const weight = PHRASE * phrase.terms.reduce((sum, { term, count }) => sum + count * (weightOf.get(term) ?? 0), 0)
    const [asWritten = []] = phrase.forms
    const term = `"${asWritten.map(({ term }) => term).join(' ')}"`
    return weight > 0 ? [boost(term, formsOf(phrase), weight)] : []
  })
}

/** How often each term of the query occurs in favored phrases, in the order of the terms. */
export function countsInPhrases(favored: readonly FavoredPhrase[], terms: readonly ScoringTerm[]): number[] {
  const counts = new Map(terms.map(({ term }) => [term, 0]))
  for (const phrase of favored)
    for (const { term, count } of phrase.terms) counts.set(term, (counts.get(term) ?? 0) + PHRASE * count)
  return terms.map(({ term }) => counts.get(term)!)
}

function formsOf({ forms, unless }: FavoredPhrase): Condition[] {
  const phrases = forms.map(phraseCondition)
  if (unless === undefined) return phrases
  const without: Condition = { kind: 'not', part: termCondition(unless) }
  return phrases.map(phrase => ({ kind: 'all', parts: [phrase, without] }))
}

/** The boost by a pattern. @param number - its index among the patterns of the query. */
export function patternBoost({ text }: TermPattern, number: number, weight: number): Boost {
  return boost(text, [{ kind: 'pattern', number }], weight)
}

/** The boost by a word in the values of a field. @param weight - in fixed-point units. */
export function fieldBoost(field: string, term: string, filter: TypedFilter, weight: number): Boost {
  return boost(`${field}:${term}`, [{ kind: 'fields', filter }], weight)
}

function boost(term: string, forms: readonly Condition[], weight: number): Boost {
  return { term, forms, weight, score: contribution(weight, 1, 1, 1) }
}

/** A boost in one segment. */
interface OpenBoost {
  score: number
  forms: Clause[]
  /**
   * The maximum impact, by form, list and window. Each list of a form contains all captures that fulfill the form. So if one of these impacts is
   * 0, no capture of the window fulfills the form.
   */
  impacts: Uint8Array[][]
}

/** The boosts of a query in one segment. */
export class SegmentBoosts implements TopKBoost {
  readonly #boosts: OpenBoost[]
  readonly #title: TitleBoost | undefined

  /** @param open - opens a condition on the segment. @param title - set if the title has another weight than in the index. */
  constructor(boosts: readonly Boost[], open: (condition: Condition) => Clause, title?: TitleBoost) {
    this.#title = title
    this.#boosts = boosts.flatMap(({ forms, score }): OpenBoost[] => {
      const opened = forms.map(open).filter(form => form !== nothing)
      const impacts = opened.map(({ lists = [] }) => lists.map(list => list.windowMaxImpacts()))
      return opened.length > 0 ? [{ score, forms: opened, impacts }] : []
    })
  }

  get isEmpty(): boolean {
    return this.#boosts.length === 0 && !this.#title
  }

  most(window: number): number {
    let most = this.#title?.most(window) ?? 0
    for (const { score, impacts } of this.#boosts)
      if (impacts.some(lists => lists.every(ofList => ofList[window]! > 0))) most += score
    return most
  }

  of(ordinal: number): number {
    let sum = this.#title?.of(ordinal) ?? 0
    for (const { score, forms } of this.#boosts) if (matchesAny(forms, ordinal)) sum += score
    return sum
  }
}

function matchesAny(forms: readonly Clause[], ordinal: number): boolean {
  for (const form of forms) if (form.matches(ordinal)) return true
  return false
}
