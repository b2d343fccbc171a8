import type { SearchResponse } from '../../../service/index.ts'
import type { FittedResults } from './fit-results.ts'
import { oneLine, quoteUntrusted, untrustedNote } from './untrusted-text.ts'

function noResults(): string {
  return 'No results. Try other or fewer words, or drop a filter: site, the time windows or query_time.'
}

function countText(count: number): string {
  return count === 1 ? '1 result' : `${count} results, best first`
}

/** Search results as text for a model: title, URL, dates and snippet of each result that fits the budget. */
export function searchAnswerText(
  { results, warning }: Pick<SearchResponse, 'results' | 'warning'>,
  { blocks, left }: Pick<FittedResults, 'blocks' | 'left'>,
  boundary: string,
): string {
  const notice = warning === undefined ? [] : [`Note: ${oneLine(warning)}`]
  if (blocks.length === 0 && left === 0) return [...notice, noResults()].join('\n')
  return [
    ...notice,
    `${countText(results.length)}. ${untrustedNote}`,
    quoteUntrusted(blocks.join('\n\n'), boundary),
    ...(left === 0
      ? []
      : [
          `${left} more were left out because of their length. To see them, search again with a smaller snippet_max_length.`,
        ]),
    'fetch_page_content reads a result in full.',
  ].join('\n')
}
