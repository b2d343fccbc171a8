import { z } from 'zod'
import { type SearchResponse, searchResponse } from '../../service/index.ts'
import { type Result, resultText, type WizardItem, wizardText } from './result-block.ts'
import { markedStrings, markUntrusted, untrustedNote } from './untrusted-text.ts'

/** What search results may take of a context window, in characters; about 10,000 tokens. */
const BUDGET_CHARS = 40_000

/** The structured content of search results: the answer of the API, cut to the budget, with marks around what pages say. */
export const markedSearch = searchResponse.extend({
  untrusted: z.string().optional().describe('What the marks <web-content-…> around texts of web pages mean.'),
  left_out: z.int().min(1).optional().describe('Results and wizard items left out because they are too long.'),
})

export type MarkedSearch = z.output<typeof markedSearch>

/** The part of an answer that an agent is shown, in both forms. */
export interface ShownResults {
  /** One text for each wizard item and each result. */
  blocks: string[]
  structured: MarkedSearch
  /** Results and wizard items left out. */
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

/** What a candidate takes in the larger of its two forms. */
function charsOf({ block, item }: Candidate): number {
  const value = 'result' in item ? item.result : item.wizard
  return Math.max(block.length, JSON.stringify(value).length) + 2
}

/** As many candidates as fit, in their order; one that is too long by itself keeps out none of the others. */
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

/** Chooses the wizard items and results that fit into the budget in both forms: text and structured content have the same ones. */
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
