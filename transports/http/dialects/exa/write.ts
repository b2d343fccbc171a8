import { type CallCharge, THOUSAND_CREDITS_USD } from '../../../../service/accounts/index.ts'
import type { ResponseOf, ServiceError, WireErrorName } from '../../../../service/index.ts'
import type { Asking } from '../frame/dialect.ts'
import type { ReadUrl } from '../frame/read-each.ts'
import { passageTexts, textsWithin, warnOfCut } from '../frame/result-text.ts'
import type { FoundResult } from '../frame/search-pages.ts'
import type { DialectWarning } from '../frame/warning.ts'
import type { WantedContents } from './read.ts'

/** What an answer is written from, in addition to its results. */
interface Written {
  id: string
  wanted: WantedContents
  warnings: DialectWarning[]
  asking: Asking
}

function dollars(charges: readonly CallCharge[]): number {
  const credits = charges.reduce((sum, { paid, credits }) => sum + (paid ? credits : 0), 0)
  return (credits * Number(THOUSAND_CREDITS_USD)) / 1_000
}

function writeAnswer(body: object, { id, warnings, asking }: Written): object {
  return {
    requestId: id,
    ...body,
    costDollars: { total: dollars(asking.charges) },
    warnings: warnings.length === 0 ? undefined : warnings.map(warning => ({ code: 'ASOF', ...warning })),
  }
}

/** Returns the text of a page, or undefined if the request asks for none. */
function writeText(content: string, { wanted: { textChars, allowsLonger }, warnings }: Written): string | undefined {
  if (textChars === undefined) return undefined
  if (allowsLonger) warnOfCut('text', content, textChars, warnings)
  return content
}

/** Writes the answer of `/search` and `/findSimilar`. */
export function writeResults(results: readonly FoundResult[], written: Written): object {
  const shown = results.map(result => {
    const { highlightChars } = written.wanted
    const highlights = highlightChars === undefined ? undefined : textsWithin(passageTexts(result), highlightChars)
    return {
      id: result.url,
      url: result.url,
      title: result.title,
      publishedDate: result.published_at,
      author: result.author,
      score: result.relevance,
      snapshotAt: result.acquired_at,
      text: writeText(result.content ?? '', written),
      highlights,
      highlightScores: highlights?.map(() => result.relevance ?? 0),
    }
  })
  return writeAnswer({ resolvedSearchType: 'keyword', results: shown }, written)
}

/** The tags of Exa for why a page has no contents. All others are `CRAWL_UNKNOWN_ERROR`. */
const failureTags: Partial<Record<WireErrorName, string>> = {
  not_indexed: 'CRAWL_NOT_FOUND',
  target_not_found: 'CRAWL_NOT_FOUND',
  target_timeout: 'CRAWL_TIMEOUT',
  target_unreachable: 'SOURCE_NOT_AVAILABLE',
  target_rate_limited: 'SOURCE_NOT_AVAILABLE',
  robots_disallowed: 'SOURCE_NOT_AVAILABLE',
  invalid_request: 'UNSUPPORTED_URL',
  address_refused: 'UNSUPPORTED_URL',
  unprocessable: 'UNSUPPORTED_URL',
}

/** Writes the answer of `/contents`. */
export function writePages(reads: readonly ReadUrl<ResponseOf<'fetch'>>[], written: Written): object {
  const results: object[] = []
  const statuses: object[] = []
  for (const read of reads) {
    const { url: id } = read
    if (read.failure) {
      statuses.push({ id, status: 'error', source: 'cached', error: writeFailure(read.failure) })
      continue
    }
    const { page } = read
    // Only a page of the index has a time at which it was captured.
    statuses.push({ id, status: 'success', source: page.acquired_at === undefined ? 'crawled' : 'cached' })
    results.push({
      id,
      url: page.url,
      title: page.title,
      publishedDate: page.published_at,
      author: page.author,
      snapshotAt: page.acquired_at,
      text: writeText(page.content, written),
    })
  }
  return writeAnswer({ results, statuses }, written)
}

function writeFailure({ kind, statusCode, message }: ServiceError): object {
  return { tag: failureTags[kind] ?? 'CRAWL_UNKNOWN_ERROR', httpStatusCode: statusCode, message }
}
