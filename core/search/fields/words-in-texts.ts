import { wordOfTerm, wordsPrefix } from '../../fields/field-terms.ts'
import { fieldNames } from '../../fields/fields-of-segment.ts'
import type { SegmentView } from '../../postings/segment-view.ts'
import type { SegmentTerm } from '../../segment/posting-cache.ts'
import type { Segment } from '../../segment/segment.ts'
import type { IndexView } from '../collection/index-view.ts'
import type { Condition } from '../conditions/condition.ts'
import type { Phrase, ScoringTerm } from '../query/scoring-terms.ts'

/** The weight of a text field that the request gives no weight. */
const DEFAULT_WEIGHT = 1
/** Maximum number of terms of one query in text fields. If there are more, the terms with the highest weights are used. */
const MAX_TERMS = 64

const ofSegments = new WeakMap<Segment, readonly string[]>()

/** Returns the names of the fields that have texts in the captures of a segment. */
function textFieldsOf(segment: Segment): readonly string[] {
  const known = ofSegments.get(segment)
  if (known) return known
  const names = [...fieldNames(segment)].filter(name => segment.dictionary.find(wordsPrefix(name)))
  ofSegments.set(segment, names)
  return names
}

/**
 * Returns the names of the fields with texts, in ascending order. A field may have no text as of the instant; then no capture has
 * its terms either.
 */
export function textFieldsIn(views: readonly SegmentView[]): string[] {
  return [...new Set(views.flatMap(({ segment }) => textFieldsOf(segment)))].sort()
}

/** A word of a query in the texts of a field. */
export interface WordInText extends ScoringTerm {
  field: string
  /** Number of the word among the terms of the query. */
  number: number
  /** Number of captures that stood at the instant and contain the word in the field. */
  captures: number
  /** The list of its term in the segment of each view. */
  perView: readonly (SegmentTerm | undefined)[]
}

/**
 * Returns the words of a query in text fields. Leaves out words that no capture has there as of the instant.
 *
 * @param weights - weights of fields. A text field that is not among them has weight 1. Fields with weight 0 are left out.
 */
export function wordsInTexts(
  index: IndexView,
  fields: readonly string[],
  terms: readonly ScoringTerm[],
  weights: Readonly<Record<string, number>>,
): WordInText[] {
  const found: WordInText[] = []
  for (const field of fields) {
    const weight = weights[field] ?? DEFAULT_WEIGHT
    if (weight === 0) continue
    for (const [number, { term: word, count }] of terms.entries()) {
      if (!isWord(word)) continue
      const term = inField(field, word)
      const perView = index.views.map(({ segment }) => segment.term(term))
      const captures = index.collection.frequencyOf(term, perView)
      if (captures > 0) found.push({ term, field, number, count: count * weight, captures, perView, insteadOf: [word] })
    }
  }
  if (found.length <= MAX_TERMS) return found
  const rarest = found.toSorted((a, b) => b.count / b.captures - a.count / a.captures)
  return rarest.slice(0, MAX_TERMS)
}

/**
 * Returns the text field that a term is a word of: `summary` for the term that is shown as `summary:lamp`. Undefined for any other term.
 *
 * @param fields - the names of the text fields.
 */
export function textFieldOf(term: string, fields: readonly string[]): string | undefined {
  return isWord(term) ? undefined : fields.find(field => term.startsWith(wordsPrefix(field)))
}

/** Returns the name of a term in explanations: `summary:lamp` for a word of a text field, the term itself for any other term. */
export function shownTerm(term: string, fields: readonly string[]): string {
  const field = textFieldOf(term, fields)
  return field === undefined ? term : `${field}:${wordOfTerm(term)}`
}

/** Returns the condition with its words and phrases also searched in text fields, except those that must be in the title or in a certain field. */
export function alsoInTexts(condition: Condition, fields: readonly string[]): Condition {
  if (fields.length === 0) return condition
  switch (condition.kind) {
    case 'all':
    case 'any':
      return { kind: condition.kind, parts: condition.parts.map(part => alsoInTexts(part, fields)) }
    case 'not':
      return { kind: 'not', part: alsoInTexts(condition.part, fields) }
    case 'phrase': {
      const { phrase, title } = condition
      if (title || !isOfWords(phrase)) return condition
      return {
        kind: 'any',
        parts: [condition, ...fields.map(field => ({ ...condition, phrase: phraseInField(field, phrase) }))],
      }
    }
    case 'near': {
      const { left, right, title } = condition
      if (title || !isOfWords(left) || !isOfWords(right)) return condition
      return {
        kind: 'any',
        parts: [
          condition,
          ...fields.map(field => ({
            ...condition,
            left: phraseInField(field, left),
            right: phraseInField(field, right),
          })),
        ],
      }
    }
    case 'pattern':
    case 'path':
    case 'acquired':
    case 'published':
    case 'fields':
      return condition
  }
}

/** Returns the phrase of the same words in the texts of a field. */
export function phraseInField(field: string, phrase: Phrase): Phrase {
  return phrase.map(part => ({ ...part, term: inField(field, part.term) }))
}

/** The term of a word in the texts of a field. */
export function inField(field: string, word: string): string {
  return wordsPrefix(field) + word
}

/** True for a word of the text, false for a term that is made from a property or a field. */
function isWord(term: string): boolean {
  return !term.startsWith(':')
}

function isOfWords(phrase: Phrase): boolean {
  return phrase.every(({ term }) => isWord(term))
}
