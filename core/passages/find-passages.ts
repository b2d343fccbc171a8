import { invalidOption } from '@asof/extract/errors'
import type { ReadableAnswer } from '../models/model-search.ts'
import type { ParsedSearch } from '../search/parse-search.ts'
import { isPlaced } from '../search/results.ts'
import type { ResultPassage } from '../search/search-answer.ts'
import { MAX_PARAGRAPH_UNITS } from '../snippet/page-passages.ts'
import { type Budget, type ChosenPage, fillBudget } from './fill-budget.ts'
import { likelyScore, openPage } from './open-page.ts'
import { MAX_PASSAGE_UNITS, partsAbove, plainLine } from './page-parts.ts'
import type { Passage, PassagesAnswer, PassagesOptions } from './passages-answer.ts'

/** Limits of the options of {@link PassagesOptions}. */
const PASSAGE_LIMITS = {
  chars: { least: 180, most: 50_000 },
  tokens: { least: 50, most: 50_000, default: 2_000 },
  perPage: { least: 1, most: 100 },
} as const

/** Number of the best pages that passages are taken from. */
const PASSAGE_PAGES = 20

/** What the score of a page counts at least, relative to that of the best page. */
const LEAST_FACTOR = 0.2

/** Maximum length of a line of the context of a passage, UTF-16 units. */
const CONTEXT_UNITS = 200

/** @throws ASOF_INVALID_OPTION */
export function readBudget({ maxChars, maxTokens, maxPerPage }: PassagesOptions): Budget {
  const { chars, tokens, perPage } = PASSAGE_LIMITS
  const inRange = (name: string, value: number | undefined, { least, most }: { least: number; most: number }) => {
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most))
      throw invalidOption(name, `must be a whole number from ${least} to ${most}`)
    return value
  }
  const given = inRange('maxChars', maxChars, chars)
  return {
    maxChars: given ?? chars.most,
    maxTokens:
      inRange('maxTokens', maxTokens, tokens) ?? (given === undefined ? tokens.default : Number.POSITIVE_INFINITY),
    maxPerPage: inRange('maxPerPage', maxPerPage, perPage) ?? Number.POSITIVE_INFINITY,
    maxLength: MAX_PASSAGE_UNITS,
  }
}

/** Returns the search for the pages that passages are taken from. */
export function searchForPassages(parsed: ParsedSearch): ParsedSearch {
  return { ...parsed, maxResults: PASSAGE_PAGES, snippetMaxLength: 0, titleHighlights: false, matchedPlaces: true }
}

/** Chooses the best passages of the pages that a search found, see `Engine.passages`. */
export async function findPassages({ answer, read }: ReadableAnswer, budget: Budget): Promise<PassagesAnswer> {
  const { query, mode, warning, warnings, receipt } = answer
  const results = answer.results.filter(isPlaced)
  const best = Math.max(0, ...results.map(({ score }) => score))
  const pages = await read(snapshot =>
    fillBudget(
      results.map(result => ({
        factor: best > 0 ? LEAST_FACTOR + ((1 - LEAST_FACTOR) * Math.max(0, result.score)) / best : 1,
        likely: likelyScore(result.places),
        open: () => openPage(result, snapshot, partLimits(budget)),
      })),
      budget,
    ),
  )
  const passages = pages.flatMap(page => {
    const { url, title, acquiredAt, publishedAt } = results[page.source]!
    return passagesIn(page).map((passage): Passage => ({ url, title, ...passage, acquiredAt, publishedAt }))
  })
  const chosen = pages.flatMap(page => page.passages)
  return {
    query,
    mode,
    passages,
    chars: chosen.reduce((sum, { start, end }) => sum + end - start, 0),
    tokens: chosen.reduce((sum, { tokens }) => sum + tokens, 0),
    warning,
    warnings,
    receipt,
  }
}

/** Returns the limits of the parts that passages are made of. */
export function partLimits({ maxChars, maxLength }: Budget): { whole: number; paragraph: number } {
  return { whole: Math.min(maxLength, maxChars), paragraph: Math.min(maxLength, MAX_PARAGRAPH_UNITS) }
}

/** Returns the passages of a page in the order of the page. */
export function passagesIn({ page: { markdown, parts }, passages }: ChosenPage): ResultPassage[] {
  // Many passages may be under one part, which may be as long as the page.
  const lines = new Map<number, string>()
  const lineOf = (index: number) => {
    const line = lines.get(index) ?? plainLine(markdown, parts[index]!, CONTEXT_UNITS)
    lines.set(index, line)
    return line
  }
  return passages.map(({ start, end, part, score }) => ({
    text: markdown.slice(start, end),
    start,
    end,
    context: partsAbove(parts, part).map(lineOf),
    score,
  }))
}
