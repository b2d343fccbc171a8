import { invalidOption, isPlainObject, shown } from '@asof/extract/errors'
import type { ReadableAnswer } from '../models/model-search.ts'
import type { ParsedSearch } from '../search/parse-search.ts'
import { isPlaced, type PlacedResult } from '../search/results.ts'
import type { ResultPassage, ResultPassagesOptions, SearchAnswer, SearchResult } from '../search/search-answer.ts'
import type { MatchedPlaces } from '../snippet/matched-places.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { yieldToEventLoop } from '../threads/yield-to-event-loop.ts'
import { type Budget, fillBudget } from './fill-budget.ts'
import { partLimits, passagesIn } from './find-passages.ts'
import { openPage } from './open-page.ts'
import { MAX_PASSAGE_UNITS } from './page-parts.ts'

const LEAST_UNITS = 180
const MAX_RESULT_UNITS = 10_000
const MAX_QUERY_UNITS = 2_048
/** Maximum number of terms of a query, which bounds the time. */
const MAX_TERMS = 64

/** The passages that results are to have, checked. */
export interface WantedPassages {
  budget: Budget
  /** Finds what the passages are to answer, if that is not the query of the search. */
  placesIn?: ((text: string, title: string) => MatchedPlaces) | undefined
}

/** @throws ASOF_INVALID_OPTION */
export function readWantedPassages(options: ResultPassagesOptions): WantedPassages {
  if (!isPlainObject(options)) throw invalidOption('passages', `is ${shown(options)}; expected an object`)
  const { maxChars, maxLength = MAX_PASSAGE_UNITS, query, ...others }: ResultPassagesOptions = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw invalidOption(`passages.${unknown}`, 'is unknown; expected maxChars, maxLength or query')
  checkLength('maxChars', maxChars, MAX_RESULT_UNITS)
  checkLength('maxLength', maxLength, MAX_PASSAGE_UNITS)
  if (query !== undefined && (typeof query !== 'string' || query.length > MAX_QUERY_UNITS))
    throw invalidOption('passages.query', `must be a text of at most ${MAX_QUERY_UNITS} UTF-16 units`)
  const scanner = query === undefined ? undefined : scannerOf(query)
  return {
    budget: { maxChars, maxLength, maxTokens: Number.POSITIVE_INFINITY, maxPerPage: Number.POSITIVE_INFINITY },
    placesIn: scanner && ((text, title) => placesOf(scanner, text, title)),
  }
}

function checkLength(name: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < LEAST_UNITS || value > most)
    throw invalidOption(`passages.${name}`, `must be a whole number from ${LEAST_UNITS} to ${most}`)
}

/** Returns the search whose results {@link addPassages} can add passages to. */
export function searchForResultPassages(parsed: ParsedSearch): ParsedSearch {
  return { ...parsed, matchedPlaces: true }
}

/** Adds to each result of an answer the passages of its page. */
export async function addPassages({ answer, read }: ReadableAnswer, wanted: WantedPassages): Promise<SearchAnswer> {
  const results: SearchResult[] = []
  for (const result of answer.results) {
    if (isPlaced(result)) {
      const passages = await read(snapshot => passagesOf(result, snapshot, wanted))
      const { places: _, captureId: _id, ...plain } = result
      results.push({ ...plain, passages })
      // Pages may be large.
      await yieldToEventLoop()
    } else results.push(result)
  }
  return { ...answer, results }
}

function passagesOf(result: PlacedResult, snapshot: Snapshot, { budget, placesIn }: WantedPassages): ResultPassage[] {
  const open = () => openPage(result, snapshot, partLimits(budget), placesIn)
  return fillBudget([{ factor: 1, likely: 1, open }], budget).flatMap(passagesIn)
}

/** Returns what finds the words of a query. Undefined if it has none but function words. */
function scannerOf(query: string): TermScanner | undefined {
  const words = queryTerms(query).filter(({ functionWord }) => !functionWord)
  const terms = [...new Set(words.map(({ term }) => term))].slice(0, MAX_TERMS)
  return terms.length === 0 ? undefined : new TermScanner(terms)
}

/** Returns where the words of a query are in a page. A word that a page often repeats says less about its parts. */
function placesOf(scanner: TermScanner, text: string, title: string): MatchedPlaces {
  const matches = scanner.scan(text)
  const inTitle = [...new Set(scanner.scan(title).map(({ term }) => term))]
  const counts = new Map<number, number>()
  for (const { term } of matches) counts.set(term, (counts.get(term) ?? 0) + 1)
  const last = Math.max(-1, ...counts.keys(), ...inTitle)
  const weights = Array.from({ length: last + 1 }, (_, term) => 1 / (1 + Math.log(counts.get(term) ?? 1)))
  return { starts: matches.map(({ start }) => start), terms: matches.map(({ term }) => term), inTitle, weights }
}
