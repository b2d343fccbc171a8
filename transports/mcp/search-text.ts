import type { SearchResponse } from '../service/index.ts'
import { newBoundary, oneLine, quoteUntrusted, untrustedNote } from './untrusted-text.ts'

/** What a text of search results may take of a context window, in characters; about 10,000 tokens. */
const TEXT_CHARS = 40_000

type Result = SearchResponse['results'][number]

/** Without milliseconds, which are of no use to a reader. */
function instant(timestamp: string): string {
  return timestamp.replace(/\.\d+Z$/, 'Z')
}

function resultText({ title, url, published_at, acquired_at, snippet }: Result, index: number): string {
  const dates = [
    published_at === undefined ? 'publish date unknown' : `published ${instant(published_at)}`,
    ...(acquired_at === undefined ? [] : [`indexed ${instant(acquired_at)}`]),
  ]
  const lines = [`${index + 1}. ${oneLine(title) || '(untitled)'}`, `   ${oneLine(url)}`, `   ${dates.join(', ')}`]
  if (snippet) lines.push(`   ${oneLine(snippet)}`)
  return lines.join('\n')
}

function wizardText({ wizard, url, acquired_at, ...fields }: NonNullable<SearchResponse['wizards']>[number]): string {
  return oneLine(`[${wizard}] ${JSON.stringify(fields)} from ${url}, indexed ${instant(acquired_at)}`)
}

/** As many blocks as fit; the first one in any case. */
function fitting(blocks: readonly string[], maxChars: number): string[] {
  let chars = 0
  const end = blocks.findIndex((block, index) => {
    chars += block.length + 2
    return index > 0 && chars > maxChars
  })
  return end === -1 ? [...blocks] : blocks.slice(0, end)
}

function noResults(): string {
  return 'No results. Try other or fewer words, or drop a filter: site, the time windows or query_time.'
}

function counted(count: number): string {
  return count === 1 ? '1 result' : `${count} results, best first`
}

/** Search results for a model: title, address, dates and snippet of each, as many as a context window has room for. */
export function searchText(
  { results, wizards = [], warning }: SearchResponse,
  boundary: string = newBoundary(),
): string {
  const notice = warning === undefined ? [] : [`Note: ${oneLine(warning)}`]
  if (results.length === 0 && wizards.length === 0) return [...notice, noResults()].join('\n')
  const shown = fitting([...wizards.map(wizardText), ...results.map(resultText)], TEXT_CHARS)
  const left = wizards.length + results.length - shown.length
  return [
    ...notice,
    `${counted(results.length)}. ${untrustedNote}`,
    quoteUntrusted(shown.join('\n\n'), boundary),
    ...(left === 0
      ? []
      : [`${left} more were left out of this text. To see them, search again with a smaller snippet_max_length.`]),
    'fetch_page_content reads a result in full.',
  ].join('\n')
}
