import { AsofError, type Engine, type ErrorCode, type ExtractedPage, isAsofError, type Page } from '@asof/core'
import { linkHeaderTarget } from '../discovery/link-header.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { productToken } from '../politeness/product-token.ts'
import { siteOf } from '../site.ts'
import { contentOf, contentOfStored } from './page-content.ts'
import { isSameText } from './same-text.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/**
 * Adds a page that was fetched outside a crawl to the index, as a capture acquired now. URLs that redirected to it
 * become aliases. If the index has the same text at the address that the page claims (its canonical link), and no page of
 * its own at the URL that answered, that URL becomes an alias too.
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
  const names = [found, ...(fetched.redirects ?? []).map(tryNormalize)]
  const claimed = await pageWithClaimedAddress(engine, found, fetched, extracted)
  // A capture is needed to add an alias. With the stored content it makes no new version.
  const capture = claimed ? { ...contentOfStored(claimed), url: claimed.url } : { ...contentOf(extracted), url: found }
  const aliases = [...new Set(names)].filter(name => name !== undefined && name !== capture.url) as string[]
  const { failures } = await engine.add([{ ...capture, aliases }])
  for (const { code, message } of failures) throw new AsofError(code as ErrorCode, message)
  return true
}

/** Returns the stored page at the address that a page claims, if it is another one with the same text. */
async function pageWithClaimedAddress(
  engine: Pick<Engine, 'page'>,
  url: string,
  { url: base, headers }: Pick<FetchedPage, 'url'> & Partial<Pick<FetchedPage, 'headers'>>,
  { canonicalUrl, markdown }: ExtractedPage,
): Promise<Page | undefined> {
  const inHeader = linkHeaderTarget(headers?.link, 'canonical')
  const address = (inHeader === undefined ? undefined : URL.parse(inHeader, base)?.href) ?? canonicalUrl
  const claim = address === undefined ? undefined : tryNormalize(address)
  if (claim === undefined || claim === url || siteOf(new URL(claim)) !== siteOf(new URL(url))) return undefined
  try {
    if ((await engine.page(url, { markdownMaxLength: 0 }))?.url === url) return undefined
    const stored = await engine.page(claim)
    return stored && isSameText(markdown, stored.markdown) ? stored : undefined
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return undefined
    throw error
  }
}
