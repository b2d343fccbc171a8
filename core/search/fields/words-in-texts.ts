import { typedPrefix, wordOfTerm } from '../../fields/field-terms.ts'
import { fieldNames } from '../../fields/fields-of-segment.ts'
import type { SegmentTerm } from '../../segment/posting-cache.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Condition } from '../conditions/condition.ts'
import { frequencyIn, type IndexView } from '../postings/segment-view.ts'
import type { Phrase, ScoringTerm } from '../query/scoring-terms.ts'

/** The weight of a text field that has no other. */
const DEFAULT_WEIGHT = 1
/** Maximum number of terms of one query in text fields. Those of the highest weights are kept. */
const MAX_TERMS = 64

const ofSegments = new WeakMap<Segment, readonly string[]>()

/** The names of the fields with texts, of the captures of a segment. */
function textFieldsIn(segment: Segment): readonly string[] {
  const known = ofSegments.get(segment)
  if (known) return known
  const names = [...fieldNames(segment)].filter(name => segment.dictionary.find(typedPrefix(name, 'text')))
  ofSegments.set(segment, names)
  return names
}

/**
 * The names of the fields with texts, in ascending order. Some may have no text as of the instant; as of then, no capture has a term of
 * these.
 */
export function textFields({ views, whole }: IndexView): string[] {
  // An index that is only partly in view has no texts in fields.
  if (whole) return []
  return [...new Set(views.flatMap(({ segment }) => textFieldsIn(segment)))].sort()
}

/** A word of a query in the texts of a field. */
export interface WordInText extends ScoringTerm {
  field: string
  /** Number of the word among the terms of the query. */
  number: number
  /** Number of captures up to the instant that have it there. */
  captures: number
  /** Its list in the segment of each view. */
  perView: readonly (SegmentTerm | undefined)[]
}

/**
 * The words of a query in text fields. Words that no capture has there as of the instant are left out.
 *
 * @param weights - of fields. A text field without a weight has 1; one with the weight 0 is left out.
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
      const captures = frequencyIn(index, term, perView)
      if (captures > 0) found.push({ term, field, number, count: count * weight, captures, perView, insteadOf: [word] })
    }
  }
  if (found.length <= MAX_TERMS) return found
  const rarest = found.toSorted((a, b) => b.count / b.captures - a.count / a.captures)
  return rarest.slice(0, MAX_TERMS)
}

/** The field whose text a term is a word of, if it is one of some fields. */
export function textFieldOf(term: string, fields: readonly string[]): string | undefined {
  return isWord(term) ? undefined : fields.find(field => term.startsWith(typedPrefix(field, 'text')))
}

/** The name of a term for readers: `summary:lamp` for a word of a text field, the term itself for any other. */
export function shownTerm(term: string, fields: readonly string[]): string {
  const field = textFieldOf(term, fields)
  return field === undefined ? term : `${field}:${wordOfTerm(term)}`
}

/** A condition that is also fulfilled by words and phrases in text fields, unless they must be in the title or in another field. */
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
    default:
      return condition
  }
}

/** A phrase in the texts of a field. */
export function phraseInField(field: string, phrase: Phrase): Phrase {
  return phrase.map(part => ({ ...part, term: inField(field, part.term) }))
}

/** The term of a word in the texts of a field. */
export function inField(field: string, word: string): string {
  return typedPrefix(field, 'text') + word
}

/** A word of the text, as opposed to a term that is made from a property or a field. */
function isWord(term: string): boolean {
  return !term.startsWith(':')
}

function isOfWords(phrase: Phrase): boolean {
  return phrase.every(({ term }) => isWord(term))
}
