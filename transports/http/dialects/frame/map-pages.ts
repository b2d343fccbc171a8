import { type InputOf, limits, type ResponseOf } from '../../../../service/index.ts'
import type { Asking } from './dialect.ts'
import type { DialectWarning } from './warning.ts'

export type MappedPage = ResponseOf<'map'>['urls'][number]

/** The list of the pages of a site that a request asks for. */
export interface WantedMap {
  request: Omit<InputOf<'map'>, 'limit' | 'cursor'>
  /** Maximum number of pages. Each {@link limits.mappedUrls} of them are a call. */
  limit: number
  /** Returns those of some pages that belong to the list. Default: all. */
  keep?: ((pages: readonly MappedPage[]) => MappedPage[]) | undefined
}

/**
 * Lists the pages of a site. Each call continues the one before as of the same instant.
 *
 * @param warnings - gets a warning if pages may be missing, because too many others were left out, or a further call failed.
 */
export async function mapPages(
  asking: Asking,
  { request, limit, keep }: WantedMap,
  warnings: DialectWarning[],
): Promise<MappedPage[]> {
  const { max } = limits.mappedUrls
  const calls = Math.ceil(limit / max)
  const found: MappedPage[] = []
  let looked = 0
  let cursor: string | undefined
  do {
    const wanted = keep ? max : Math.min(max, limit - found.length)
    const body = await nextPages(asking, { ...request, limit: wanted, cursor }).catch(failure => {
      if (cursor === undefined || !(failure instanceof Error)) throw failure
      warnings.push({ path: '', message: `only the first ${found.length} pages: ${failure.message}` })
      return undefined
    })
    if (!body) break
    found.push(...(keep?.(body.urls) ?? body.urls))
    looked += 1
    cursor = body.next
    if (looked === calls && cursor !== undefined && found.length < limit)
      warnings.push({ path: '', message: `only the first ${calls * max} pages of the site were looked at` })
  } while (cursor !== undefined && found.length < limit && looked < calls)
  return found.slice(0, limit)
}

async function nextPages(asking: Asking, request: InputOf<'map'>): Promise<ResponseOf<'map'>> {
  return (await asking.call('map', request)).body
}

/** Returns an address with a scheme, which some vendors do not need. */
export function withScheme(url: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(url) ? url : `https://${url}`
}
