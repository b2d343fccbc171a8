import type { CallCharge } from '../../../../service/accounts/index.ts'
import { type ServiceError, wireErrors } from '../../../../service/index.ts'
import type { Asking } from '../frame/dialect.ts'
import type { ReadUrl } from '../frame/read-each.ts'
import { passageTexts, textsWithin } from '../frame/result-text.ts'
import type { FoundResult } from '../frame/search-pages.ts'
import { type DialectWarning, warningTexts } from '../frame/warning.ts'
import type { ParallelExtract, ParallelSearch } from './read.ts'

/** What was read of a page for `/extract`. */
export interface ExtractedPage {
  url: string
  title: string
  published_at?: string | undefined
  excerpts: readonly string[]
  full?: string | undefined
}

const DAY = 'YYYY-MM-DD'

/** Takes excerpts of one page after the other, until all together have their maximum length. */
class Excerpts {
  readonly #perResult: number
  #left: number

  constructor({ perResult, total }: ParallelSearch['lengths']) {
    this.#perResult = perResult
    this.#left = total
  }

  take(texts: readonly string[]): string[] {
    const taken = textsWithin(texts, Math.min(this.#perResult, this.#left))
    this.#left -= taken.reduce((sum, text) => sum + [...text].length, 0)
    return taken
  }
}

/** Returns the parts of an answer that are not about its pages. */
function writeRest(
  id: string,
  { session, warnings }: { session: string | undefined; warnings: readonly DialectWarning[] },
  { charges }: Asking,
): object {
  return {
    session_id: session ?? id,
    usage: usageOf(charges),
    warnings: warnings.length === 0 ? null : warningTexts(warnings).map(message => ({ type: 'warning', message })),
  }
}

function usageOf(charges: readonly CallCharge[]): { name: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const { sku, amount } of charges) counts.set(sku, (counts.get(sku) ?? 0) + amount)
  return [...counts].map(([name, count]) => ({ name, count }))
}

/** Writes the answer of `/search`. */
export function writeResults(
  results: readonly FoundResult[],
  id: string,
  asked: ParallelSearch,
  asking: Asking,
): object {
  const excerpts = new Excerpts(asked.lengths)
  return {
    search_id: id,
    results: results.map(result => ({
      url: result.url,
      title: result.title,
      publish_date: result.published_at?.slice(0, DAY.length) ?? null,
      excerpts: excerpts.take(passageTexts(result)),
    })),
    ...writeRest(id, asked, asking),
  }
}

/** Writes the answer of `/extract`. */
export function writePages(
  reads: readonly ReadUrl<ExtractedPage>[],
  id: string,
  asked: ParallelExtract,
  asking: Asking,
): object {
  const excerpts = new Excerpts(asked.lengths)
  return {
    extract_id: id,
    results: reads.flatMap(({ page }) =>
      page
        ? [
            {
              url: page.url,
              title: page.title,
              publish_date: page.published_at?.slice(0, DAY.length) ?? null,
              excerpts: excerpts.take(page.excerpts),
              full_content: page.full ?? null,
            },
          ]
        : [],
    ),
    errors: reads.flatMap(({ url, failure }) => (failure ? [writeFailure(url, failure)] : [])),
    ...writeRest(id, asked, asking),
  }
}

function writeFailure(url: string, { kind, statusCode, message }: ServiceError): object {
  const error_type = wireErrors[kind].error.replaceAll(' ', '_').toLowerCase()
  return { url, error_type, http_status_code: statusCode, content: message }
}
