import { plainSnippet, type ResponseOf } from '../../../../service/index.ts'
import type { Asking } from '../frame/dialect.ts'
import type { ReadUrl } from '../frame/read-each.ts'
import { passageTexts, warnOfCut } from '../frame/result-text.ts'
import type { FoundResult } from '../frame/search-pages.ts'
import { type DialectWarning, warningTexts } from '../frame/warning.ts'
import type { TavilyExtract, TavilySearch } from './read.ts'

const DECIMALS = 1_000
/** Stands between the chunks of a content. */
const CHUNK_GAP = ' [...] '

/**
 * Returns the parts of an answer that are not about its pages.
 *
 * @param credits - the price of the answer. Default: that of its calls.
 */
export function writeRest(
  id: string,
  { warnings, wantsUsage }: { warnings: readonly DialectWarning[]; wantsUsage: boolean },
  { charges, seconds }: Asking,
  credits = charges.reduce((sum, charge) => sum + charge.credits, 0),
): object {
  return {
    response_time: Math.round(seconds() * DECIMALS) / DECIMALS,
    request_id: id,
    usage: wantsUsage ? { credits } : undefined,
    warnings: warnings.length === 0 ? undefined : warningTexts(warnings),
  }
}

/** Writes the answer of `/search`. The JavaScript client needs `images`. */
export function writeResults(results: readonly FoundResult[], id: string, asked: TavilySearch, asking: Asking): object {
  const { content_max_chars: chars } = asked.request
  for (const { content } of results)
    if (content !== undefined && chars !== undefined) warnOfCut('include_raw_content', content, chars, asked.warnings)
  return {
    query: asked.query,
    follow_up_questions: null,
    answer: null,
    images: [],
    results: results.map(result => ({
      title: result.title,
      url: result.url,
      content: asked.chunks === undefined ? plainSnippet(result) : passageTexts(result, asked.chunks).join(CHUNK_GAP),
      score: result.relevance ?? 1,
      raw_content: result.content ?? null,
      published_date: result.published_at,
    })),
    ...writeRest(id, asked, asking),
  }
}

/** Writes the answer of `/extract`. */
export function writePages(
  reads: readonly ReadUrl<ResponseOf<'fetch'>>[],
  id: string,
  asked: TavilyExtract,
  asking: Asking,
): object {
  return {
    results: reads.flatMap(({ url, page }) =>
      page ? [{ url, title: page.title, raw_content: page.content, images: [] }] : [],
    ),
    failed_results: reads.flatMap(({ url, failure }) => (failure ? [{ url, error: failure.message }] : [])),
    ...writeRest(id, asked, asking),
  }
}
