import { type Engine, type ExtractedPage, isAsofError } from '@asof/core'
import { tryNormalize } from '../discovery/page-url.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { productToken } from '../politeness/product-token.ts'
import { contentOf } from './page-content.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/**
 * Puts a page that was fetched on its own into the index, as a capture that the engine stamps. The URLs that redirected to it
 * lead to it from now on. A page that is known under the canonical URL that it names is stored there.
 *
 * @param userAgent - the `User-Agent` of the fetch, whose product token `X-Robots-Tag` may name. Default `asof`.
 * @returns false if the page asks not to be indexed, or the index does not accept its URL.
 * @throws AsofError what the engine refuses the capture with; ASOF_STORE_WRITE | ASOF_CLOSED
 */
export async function storeFetched(
  engine: Pick<Engine, 'add' | 'page'>,
  fetched: Pick<FetchedPage, 'url'> & Partial<Pick<FetchedPage, 'headers' | 'redirects'>>,
  extracted: ExtractedPage,
  userAgent = 'asof',
): Promise<boolean> {
  const { noindex } = parseRobotsTag(fetched.headers?.['x-robots-tag'], productToken(userAgent))
  const found = tryNormalize(fetched.url)
  if (noindex || extracted.robots.noindex || found === undefined) return false
  const url = (await knownAs(engine, found, extracted.canonicalUrl)) ?? found
  const names = [found, ...(fetched.redirects ?? []).map(tryNormalize)]
  const aliases = [...new Set(names)].filter(name => name !== undefined && name !== url) as string[]
  const { failed } = await engine.add([{ ...contentOf(extracted), url, ...(aliases.length > 0 && { aliases }) }])
  if (failed[0]) throw failed[0].error
  return true
}

/** The canonical URL of a page, if the index holds the page there already. */
async function knownAs(
  engine: Pick<Engine, 'page'>,
  url: string,
  canonical: string | undefined,
): Promise<string | undefined> {
  const owner = canonical === undefined ? undefined : tryNormalize(canonical)
  if (owner === undefined || owner === url) return undefined
  try {
    return (await engine.page(url))?.url === owner ? owner : undefined
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return undefined
    throw error
  }
}
