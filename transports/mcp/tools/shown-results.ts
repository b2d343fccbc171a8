import { z } from 'zod'
import { type SearchResponse, searchResponse } from '../../service/index.ts'
import { type Result, resultText, type WizardItem, wizardText } from './result-block.ts'
import { markedStrings, markUntrusted, untrustedNote } from './untrusted-text.ts'

/** Limit of the length of search results in a model's context, in characters: about 10,000 tokens. */
const BUDGET_CHARS = 40_000

/** The structured content of search results: the response of the API, cut to the budget, with marks around texts of pages. */
export const markedSearch = searchResponse.extend({
  untrusted: z.string().optional().describe('Meaning of the marks <web-content-…> around texts of web pages.'),
  left_out: z
    .int()
    .min(1)
    .optional()
    .describe('Number of results and wizard items that were left out because of their length.'),
})

export type MarkedSearch = z.output<typeof markedSearch>

/** The part of a response that fits the budget, as text and as structured content. */
export interface ShownResults {
  /** One text for each wizard item and each result. */
  blocks: string[]
  structured: MarkedSearch
  /** Number of results and wizard items that were left out. */
  left: number
}

function markedResult(result: Result, boundary: string): Result {
  const { title, snippet, content } = result
  return {
    ...result,
    title: markUntrusted(title, boundary),
    ...(snippet === undefined ? {} : { snippet: markUntrusted(snippet, boundary) }),
    ...(content === undefined ? {} : { content: markUntrusted(content, boundary) }),
  }
}

function markedItem({ wizard, url, acquired_at, ...fields }: WizardItem, boundary: string): WizardItem {
  const marked = Object.entries(fields).map(([name, value]) => [name, markedStrings(value, boundary)])
  return { ...(Object.fromEntries(marked) as object), wizard, url, acquired_at }
}

/** One result or wizard item, in both forms. */
interface Candidate {
  block: string
  item: { result: Result } | { wizard: WizardItem }
}

/** The length of a candidate in the longer of its two forms. */
function charsOf({ block, item }: Candidate): number {
  const value = 'result' in item ? item.result : item.wizard
  return Math.max(block.length, JSON.stringify(value).length) + 2
}

/** The first candidates that fit the budget. One that exceeds the whole budget is skipped. */
function fitting(candidates: readonly Candidate[]): Candidate[] {
  const shown: Candidate[] = []
  let left = BUDGET_CHARS
  for (const candidate of candidates) {
    const chars = charsOf(candidate)
    if (chars > BUDGET_CHARS) continue
    if (chars > left) break
    left -= chars
    shown.push(candidate)
  }
  return shown
}

/** Chooses the wizard items and results that fit the budget. Text and structured content contain the same ones. */
export function shownResults(response: SearchResponse, boundary: string): ShownResults {
  const { results, wizards = [], ...rest } = response
  const candidates: Candidate[] = [
    ...wizards.map(item => ({ block: wizardText(item), item: { wizard: markedItem(item, boundary) } })),
    ...results.map((result, index) => ({
      block: resultText(result, index),
      item: { result: markedResult(result, boundary) },
    })),
  ]
  const shown = fitting(candidates)
  const left = candidates.length - shown.length
  const items = shown.flatMap(({ item }) => ('wizard' in item ? [item.wizard] : []))
  return {
    blocks: shown.map(({ block }) => block),
    structured: {
      ...rest,
      results: shown.flatMap(({ item }) => ('result' in item ? [item.result] : [])),
      ...(response.wizards && { wizards: items }),
      ...(shown.length > 0 && { untrusted: untrustedNote }),
      ...(left > 0 && { left_out: left }),
    },
    left,
  }
}
