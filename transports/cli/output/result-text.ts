import { printable, printableLine, type SearchResponse } from '../../../service/index.ts'
import { textStyle } from './text-style.ts'
import { wrap } from './wrapped-text.ts'

type Result = SearchResponse['results'][number]
type FacetValue = NonNullable<SearchResponse['facets']>[string][number]
type WizardItem = NonNullable<SearchResponse['wizards']>[number]

const INDENT = '   '

/** Returns one item of a wizard: its type and source, then one line for each of its fields. */
function wizardText({ wizard, url, acquired_at, ...fields }: WizardItem): string {
  const lines = Object.entries(fields).map(([name, value]) =>
    wrap(printable(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`), INDENT, `${INDENT}  `),
  )
  return [wrap(printable(`[${wizard}] ${url}, indexed ${acquired_at}`), '', INDENT), ...lines].join('\n')
}

function datesOf({ published_at, acquired_at, language }: Result): string {
  const facts = [published_at === undefined ? 'undated' : `published ${published_at.slice(0, 10)}`]
  if (acquired_at !== undefined) facts.push(`indexed ${acquired_at}`)
  if (language !== undefined) facts.push(`in ${language}`)
  return facts.join(', ')
}

function resultText(result: Result, rank: number, color: boolean): string {
  const { strong, faint } = textStyle(color)
  const title = printableLine(result.title) || '(untitled)'
  const snippet = printableLine(result.snippet ?? '')
  const marked = color ? snippet.replace(/\*\*([^*]+)\*\*/g, (_, words: string) => strong(words)) : snippet
  const lines = [wrap(strong(title), `${rank}. `, INDENT), `${INDENT}${printable(result.url)}`]
  lines.push(INDENT + faint(datesOf(result)))
  if (result.fields !== undefined) lines.push(wrap(printable(`fields: ${JSON.stringify(result.fields)}`), INDENT))
  if (marked !== '') lines.push(wrap(marked, INDENT))
  if (result.citation) lines.push(`${INDENT}${printable(result.citation.text)}`)
  return lines.join('\n')
}

/** Returns a facet in one line. */
function facetText(name: string, values: readonly FacetValue[]): string {
  return printable(`${name}: ${values.map(({ value, count }) => `${value} (${count})`).join(', ') || 'no values'}`)
}

/**
 * Returns search results as text for people, in lines of 80 columns: title, URL, dates, fields and snippet. Only a URL may be
 * longer. Matched words are bold if `color` is set, otherwise in `**…**`.
 *
 * @param asOf - the instant of an answer about the past, epoch ms, which comes first. Default: the answer is as of now.
 */
export function searchText(
  { results, wizards = [], warning, facets = {}, total, next }: SearchResponse,
  color: boolean,
  asOf?: number,
): string {
  return [
    asOf !== undefined && `as of ${new Date(asOf).toISOString()}`,
    warning !== undefined && wrap(`warning: ${printable(warning)}`),
    ...wizards.map(wizardText),
    ...results.map((result, index) => resultText(result, index + 1, color)),
    results.length === 0 && 'no results',
    ...Object.entries(facets).map(([name, values]) => wrap(facetText(name, values), '', INDENT)),
    total !== undefined && `${total.exact ? '' : 'more than '}${total.value} matches`,
    next !== undefined && `next page: --cursor ${next}`,
  ]
    .filter(part => part !== false)
    .join('\n\n')
}
