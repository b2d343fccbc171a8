import { type InputOf, limits, type ResponseOf } from '../../../../service/index.ts'
import type { Asking } from './dialect.ts'
import type { DialectWarning } from './warning.ts'

type Result = ResponseOf<'search'>['results'][number]

/** A result, with how well it matches. */
export interface FoundResult extends Result {
  /** From 0 to 1. Undefined if the query is the URL of a page. */
  relevance: number | undefined
}

/** The results of a search. */
export interface FoundPages {
  results: FoundResult[]
  /** Number of matches, if asof counted them. */
  total: number | undefined
  /** The instant of the answer, epoch ms. Undefined if another server answered. */
  instant?: number | undefined
}

/**
 * Searches. For more results than one answer of asof has, it makes several searches, each of which continues the one before as of the same instant.
 *
 * @param request - a request whose `max_results` may exceed the limit of asof.
 * @param warnings - gets the warnings of the answers. If a further search fails, the results so far are returned, because they are paid for, and a warning says so.
 */
export async function searchPages(
  asking: Asking,
  request: InputOf<'search'> & { max_results: number },
  warnings: DialectWarning[],
): Promise<FoundPages> {
  const { max_results: wanted, ...rest } = request
  const found: FoundPages = { results: [], total: undefined }
  const page = async (more: Partial<InputOf<'search'>>) => {
    const max_results = Math.min(limits.results.max, wanted - found.results.length)
    const { body, relevance, receipt } = await asking.call('search', {
      ...rest,
      ...more,
      max_results,
      enable_wizards: false,
    })
    found.total ??= body.total?.value
    found.instant ??= receipt?.instant
    for (const [i, result] of body.results.entries()) found.results.push({ ...result, relevance: relevance?.[i] })
    if (body.warning !== undefined && !warnings.some(({ message }) => message === body.warning))
      warnings.push({ path: '', message: body.warning })
    return body.next
  }
  // An answer has a cursor only if the request asks for pages of results.
  let next = await page(wanted > limits.results.max ? { offset: rest.offset ?? 0 } : {})
  while (next !== undefined && found.results.length < wanted) {
    try {
      next = await page({ offset: undefined, cursor: next })
    } catch (failure) {
      if (!(failure instanceof Error)) throw failure
      warnings.push({ path: '', message: `only the first ${found.results.length} results: ${failure.message}` })
      break
    }
  }
  return found
}
