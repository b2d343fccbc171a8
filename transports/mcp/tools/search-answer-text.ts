import { z } from 'zod'
import { printableLine, type SearchResponse, searchResponse } from '../../../service/index.ts'
import { quoteUntrusted, untrustedList, untrustedNote } from './untrusted-text.ts'

type Result = SearchResponse['results'][number]
type WizardItem = NonNullable<SearchResponse['wizards']>[number]

/** Returns one result as text for a model. */
function resultText(
  { title, url, published_at, acquired_at, fields, snippet, citation }: Result,
  index: number,
): string {
  const dates = [published_at === undefined ? 'publish date unknown' : `published ${published_at}`]
  if (acquired_at !== undefined) dates.push(`indexed ${acquired_at}`)
  const lines = [
    `${index + 1}. ${printableLine(title) || '(untitled)'}`,
    `   ${printableLine(url)}`,
    `   ${dates.join(', ')}`,
  ]
  if (fields) lines.push(`   fields: ${printableLine(JSON.stringify(fields))}`)
  if (snippet) lines.push(`   ${printableLine(snippet)}`)
  if (citation) lines.push(`   cite as: ${printableLine(citation.text)}`)
  return lines.join('\n')
}

/** Returns one wizard item as text for a model. */
function wizardText({ wizard, url, acquired_at, ...fields }: WizardItem): string {
  return printableLine(`[${wizard}] ${JSON.stringify(fields)} from ${url}, indexed ${acquired_at}`)
}

/** The budget: the maximum length of search results in a model's context, in characters. It is about 10,000 tokens. */
const BUDGET_CHARS = 40_000

/** The structured content of search results: the response of the API, cut to the budget. */
export const searchContent = searchResponse.extend({
  untrusted: untrustedList,
  left_out: z
    .int()
    .min(1)
    .optional()
    .describe('Number of results and wizard items that were left out because of their length.'),
})

type SearchContent = z.output<typeof searchContent>

/** The results that fit the budget, as text and as structured content. */
interface FittedResults {
  /** One text for each wizard item and each result. */
  blocks: string[]
  structured: SearchContent
  /** Number of results and wizard items that exceed the budget and were left out. */
  left: number
}

/** The fields of a result with text that the author of a page wrote. */
const webFields = [
  'title',
  'url',
  'snippet',
  'content',
  'fields',
  'citation',
] as const satisfies readonly (keyof Result)[]

/** Returns the names of the fields with text of web pages. A warning may name values of pages. */
function untrustedFields(
  results: readonly Result[],
  wizards: readonly WizardItem[],
  { warning, facets }: Pick<SearchResponse, 'warning' | 'facets'>,
): string[] {
  const present = webFields.filter(field => results.some(result => result[field] !== undefined))
  const names = present.map((field): string => `results[].${field}`)
  if (wizards.length > 0) names.push('wizards[]')
  if (facets !== undefined) names.push('facets')
  if (warning !== undefined) names.push('warning')
  return names
}

/** One result or wizard item, as text and as structured content. */
interface Candidate {
  block: string
  item: { result: Result } | { wizard: WizardItem }
}

/** Returns the length of the text or of the structured content of a candidate, whichever is longer. */
function charsOf({ block, item }: Candidate): number {
  const value = 'result' in item ? item.result : item.wizard
  return Math.max(block.length, JSON.stringify(value).length) + 2
}

/** Returns the first candidates that fit the budget. Skips a candidate that alone exceeds the budget. */
function takeFitting(candidates: readonly Candidate[]): Candidate[] {
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
export function fitResults(response: SearchResponse): FittedResults {
  const { results, wizards = [], ...rest } = response
  const candidates: Candidate[] = [
    ...wizards.map(item => ({ block: wizardText(item), item: { wizard: item } })),
    ...results.map((result, index) => ({ block: resultText(result, index), item: { result } })),
  ]
  const shown = takeFitting(candidates)
  const left = candidates.length - shown.length
  const shownWizards = shown.flatMap(({ item }) => ('wizard' in item ? [item.wizard] : []))
  const shownPages = shown.flatMap(({ item }) => ('result' in item ? [item.result] : []))
  return {
    blocks: shown.map(({ block }) => block),
    structured: {
      ...rest,
      results: shownPages,
      wizards: response.wizards && shownWizards,
      untrusted: untrustedFields(shownPages, shownWizards, response),
      left_out: left > 0 ? left : undefined,
    },
    left,
  }
}

function noResults(): string {
  return 'No results. Try other or fewer words, or drop a filter: site, the time windows or query_time.'
}

/** The arguments for fields, which the list of tools may leave out. */
const FIELD_ARGUMENTS =
  'Pages have fields: the argument filter finds pages by them, such as {"price": {"lt": 20}}, facets counts their values, and sort orders by one, such as price:asc.'

function countText(count: number): string {
  return count === 1 ? '1 result' : `${count} results, best first`
}

/** Returns search results as text for a model: title, URL, dates and snippet of each result that fits the budget. */
export function searchAnswerText(
  { results, warning, facets, total, next }: SearchResponse,
  { blocks, left }: Pick<FittedResults, 'blocks' | 'left'>,
  boundary: string,
): string {
  const notice = warning === undefined ? [] : [`Note: ${printableLine(warning)}`]
  const about: string[] = []
  if (total) about.push(`Matches: ${total.exact ? '' : 'more than '}${total.value}.`)
  if (facets) about.push(`Counts by field:\n${quoteUntrusted(printableLine(JSON.stringify(facets)), boundary)}`)
  if (next !== undefined) about.push(`More results: the same arguments with cursor "${next}".`)
  if (blocks.length === 0 && left === 0) return [...notice, noResults(), ...about].join('\n')
  const lines = [...notice, `${countText(results.length)}. ${untrustedNote}`]
  lines.push(quoteUntrusted(blocks.join('\n\n'), boundary))
  if (left > 0)
    lines.push(
      `${left} more were left out because of their length. To see them, search again with a smaller snippet_max_length.`,
    )
  lines.push(...about)
  if (results.some(({ fields }) => fields)) lines.push(FIELD_ARGUMENTS)
  lines.push('fetch_page_content reads a result in full.')
  return lines.join('\n')
}
