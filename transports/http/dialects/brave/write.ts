import { plainSnippet } from '../../../../service/index.ts'
import { passageTexts } from '../frame/result-text.ts'
import type { FoundPages } from '../frame/search-pages.ts'
import { warningTexts } from '../frame/warning.ts'
import type { BraveSearch } from './read.ts'

/** Writes an answer. Brave has no place for warnings, so they are in a field of their own. */
export function writeResults(
  { results, total = results.length }: FoundPages,
  { request: { query, offset }, extraSnippets, warnings }: BraveSearch,
): object {
  return {
    type: 'search',
    query: { original: query, more_results_available: offset + results.length < total },
    web: {
      type: 'search',
      results: results.map(result => {
        const { protocol, host, hostname, pathname } = new URL(result.url)
        return {
          type: 'search_result',
          subtype: 'generic',
          title: result.title,
          url: result.url,
          description: plainSnippet(result),
          page_age: result.published_at,
          extra_snippets: extraSnippets === 0 ? undefined : passageTexts(result, extraSnippets),
          language: result.language,
          meta_url: { scheme: protocol.slice(0, -1), netloc: host, hostname, path: pathname },
        }
      }),
    },
    warnings: warnings.length === 0 ? undefined : warningTexts(warnings),
  }
}
