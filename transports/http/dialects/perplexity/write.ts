import { plainSnippet } from '../../../../service/index.ts'
import type { FoundResult } from '../frame/search-pages.ts'
import { type DialectWarning, warningTexts } from '../frame/warning.ts'

/** Writes an answer. Its clients keep the warnings, for which Perplexity has no field. */
export function writeResults(results: readonly FoundResult[], id: string, warnings: readonly DialectWarning[]): object {
  return {
    id,
    results: results.map(result => ({
      title: result.title,
      url: result.url,
      snippet: plainSnippet(result),
      date: result.published_at?.slice(0, 'YYYY-MM-DD'.length),
      last_updated: result.acquired_at?.slice(0, 'YYYY-MM-DD'.length),
    })),
    warnings: warnings.length === 0 ? undefined : warningTexts(warnings),
  }
}
