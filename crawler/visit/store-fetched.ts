import { type Engine, type ExtractedPage, isAsofError } from '@asof/core'
import { tryNormalize } from '../discovery/page-url.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { productToken } from '../politeness/product-token.ts'
import { contentOf } from './page-content.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/**
 * Adds a page that was fetched outside a crawl to the index, as a capture acquired now. URLs that redirected to it
 * become aliases. If the index already has the page's canonical URL, the page is stored under that URL.
 *
 * @param userAgent - the `User-Agent` of the fetch, whose product token an `X-Robots-Tag` may name. Default `asof`.
 * @returns false if the page asks not to be indexed, or if the index does not accept its URL.
 * @throws AsofError - the error with which the engine rejects the capture.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED
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
  const url = (await canonicalIfStored(engine, found, extracted.canonicalUrl)) ?? found
  const names = [found, ...(fetched.redirects ?? []).map(tryNormalize)]
  const aliases = [...new Set(names)].filter(name => name !== undefined && name !== url) as string[]
  const { failed } = await engine.add([{ ...contentOf(extracted), url, aliases }])
  if (failed[0]) throw failed[0].error
  return true
}

/** Returns the canonical URL of a page if the index has it; otherwise undefined. */
async function canonicalIfStored(
  engine: Pick<Engine, 'page'>,
  url: string,
  canonical: string | undefined,
): Promise<string | undefined> {
  const storedAs = canonical === undefined ? undefined : tryNormalize(canonical)
  if (storedAs === undefined || storedAs === url) return undefined
  try {
    return (await engine.page(url, { markdownMaxLength: 0 }))?.url === storedAs ? storedAs : undefined
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return undefined
    throw error
  }
}
