import { fieldKinds } from '@asof/extract/field-kinds'
import { typedPrefix } from '../../fields/field-terms.ts'
import type { TypedFilter } from '../../fields/typed-filter.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { queryTerms } from '../../text/terms/query-terms.ts'
import type { IndexView } from '../collection/index-view.ts'
import { fieldBits } from './field-bits.ts'
import { fieldColumn, revisedColumn } from './field-columns.ts'
import type { TermColumn } from './term-column.ts'

/** Number of values that are read between two checks of the search time. */
const BETWEEN_CHECKS = 256

/** A word of a query in the values of a field. */
export interface WordInField {
  /** Fulfilled by the captures with a value that has the word. */
  filter: TypedFilter
  /** Number of captures that stood at the instant and fulfill the filter. */
  captures: number
}

/**
 * Finds words in the values of a field of keywords. Nothing that was acquired later takes part.
 *
 * @param words - terms of the index. @param language - the language of the query, ISO 639-1; '' for none.
 * @returns for each word where it was found. Words that no value has are left out.
 */
export function wordsInField(
  index: IndexView,
  field: string,
  words: readonly string[],
  language: string,
): Map<string, WordInField> {
  const { prefix, columns } = valuesOf(index, field)
  const found = new Map<string, WordInField>()
  for (const word of words) {
    const values = new Set(columns.flatMap(column => valuesByWord(column, prefix, language).get(word) ?? []))
    if (values.size === 0) continue
    const root = { kind: 'terms' as const, field, terms: [...values].sort(), ranges: [] }
    const filter = { root, key: JSON.stringify(root), ranges: new Map() }
    const captures = countStanding(index, filter)
    if (captures > 0) found.set(word, { filter, captures })
  }
  return found
}

/**
 * Finds the words that pass a test among the words in the values of a field, as of the instant of the index.
 *
 * @param language - the language of the query, ISO 639-1; '' for none.
 * @returns for each word the number of captures with it.
 */
export function matchingWordsInField(
  index: IndexView,
  field: string,
  matches: (word: string) => boolean,
  language: string,
): Map<string, number> {
  const words = new Set<string>()
  const { prefix, columns } = valuesOf(index, field)
  for (const column of columns)
    for (const word of valuesByWord(column, prefix, language).keys()) if (matches(word)) words.add(word)
  const found = wordsInField(index, field, [...words], language)
  return new Map(Array.from(found, ([word, { captures }]) => [word, captures]))
}

/**
 * Returns the columns with the values of a field, and the prefix of the terms in them. Returns no columns for a field of a kind whose values
 * have no words.
 */
function valuesOf({ views, collection }: IndexView, field: string): { prefix: string; columns: TermColumn[] } {
  const type = collection.fieldType(field)
  if (type === undefined || !fieldKinds[type].hasWordsInValues) return { prefix: '', columns: [] }
  // No posting list has the captures with a word in a keyword, so all captures must be in view.
  collection.expectAll('weights of keywords')
  const columns = views.flatMap(({ segment }) => {
    const own = fieldColumn(segment, field)
    return segment.revisions ? [own, revisedColumn(segment.revisions, field)] : [own]
  })
  return { prefix: typedPrefix(field, type), columns }
}

const known = new WeakMap<TermColumn, Map<string, ReadonlyMap<string, readonly string[]>>>()

/**
 * Returns, for each word and stem in the values of a column, the terms of the values that have it. The values are analyzed in the given
 * language. Cached as long as the column is.
 */
function valuesByWord(column: TermColumn, prefix: string, language: string): ReadonlyMap<string, readonly string[]> {
  const kept = known.get(column) ?? new Map<string, ReadonlyMap<string, readonly string[]>>()
  known.set(column, kept)
  const before = kept.get(language)
  if (before) return before
  const byWord = new Map<string, string[]>()
  for (let number = 0; number < column.count; number++) {
    if (number % BETWEEN_CHECKS === 0) checkSearchTime()
    const term = column.term(number)
    // Purged and expired captures may have left terms of another type.
    if (!term.startsWith(prefix)) continue
    for (const word of new Set(queryTerms(term.slice(prefix.length), language).flatMap(wordForms))) {
      const terms = byWord.get(word)
      if (terms) terms.push(term)
      else byWord.set(word, [term])
    }
  }
  kept.set(language, byWord)
  return byWord
}

function wordForms({ term, stem = term }: { term: string; stem?: string }): string[] {
  return [term, stem]
}

function countStanding({ views, instant }: IndexView, filter: TypedFilter): number {
  let count = 0
  for (const { segment } of views) count += segment.standingIn(fieldBits(segment, filter, instant), instant)
  return count
}
