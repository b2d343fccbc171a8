import { plainSnippet } from '../../../../service/index.ts'
import type { FoundPages } from '../frame/search-pages.ts'
import { warningTexts } from '../frame/warning.ts'
import type { SearxngSearch } from './read.ts'

const ENGINE = 'asof'

/** Returns the parts of a URL as `urlparse` of Python does. */
function parsedUrl(text: string): string[] {
  const { protocol, host, pathname, search, hash } = new URL(text)
  return [protocol.slice(0, -1), host, pathname, '', search.slice(1), hash.slice(1)]
}

/** Writes an answer. Warnings are where SearXNG says what an engine did not do. */
export function writeResults(
  { results, total = results.length }: FoundPages,
  { request: { query, offset }, warnings }: SearxngSearch,
): object {
  return {
    query,
    number_of_results: total,
    results: results.map((result, i) => ({
      url: result.url,
      title: result.title,
      content: plainSnippet(result),
      publishedDate: result.published_at ?? null,
      engine: ENGINE,
      engines: [ENGINE],
      category: 'general',
      template: 'default.html',
      parsed_url: parsedUrl(result.url),
      positions: [offset + i + 1],
      score: result.relevance ?? 1,
    })),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: warningTexts(warnings).map(text => [ENGINE, text]),
  }
}
