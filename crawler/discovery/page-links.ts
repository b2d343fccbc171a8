import type { ExtractedPage } from '@asof/core'
import type { FetchedPage } from '../fetch/fetcher.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import { siteOf } from '../site.ts'
import type { Timers } from '../timers.ts'
import type { IrrelevantParameters } from './irrelevant-parameters.ts'
import { linkHeaderTarget } from './link-header.ts'
import { tryNormalize } from './page-url.ts'
import type { Scope } from './scope.ts'
import type { UnprovenAddresses } from './unproven-addresses.ts'

interface Parts {
  frontier: Frontier
  scope: Scope
  parameters: IrrelevantParameters
  unproven: UnprovenAddresses
  timers: Timers
  /** Called with URLs that are new in the frontier. */
  onEnqueued: (urls: NewUrl[]) => void
  maxDepth: number
}

/** Priority of a URL with a query, which is more often a list or another view than a page of its own. */
const QUERY_PRIORITY = 6

/** Adds the URLs to which pages lead to the frontier, and knows which address a page claims as its own. */
export class PageLinks {
  readonly #frontier: Frontier
  readonly #scope: Scope
  readonly #parameters: IrrelevantParameters
  readonly #unproven: UnprovenAddresses
  readonly #timers: Timers
  readonly #onEnqueued: (urls: NewUrl[]) => void
  readonly #maxDepth: number

  constructor({ frontier, scope, parameters, unproven, timers, onEnqueued, maxDepth }: Parts) {
    this.#frontier = frontier
    this.#scope = scope
    this.#parameters = parameters
    this.#unproven = unproven
    this.#timers = timers
    this.#onEnqueued = onEnqueued
    this.#maxDepth = maxDepth
  }

  /**
   * Adds the links of a page in scope to the frontier, unless they are too deep.
   *
   * @param refreshUrl - the normalized URL to which the page refreshes itself, if it does.
   * @param foundOn - the URL of the page.
   * @param depth - number of links between a seed and the targets.
   */
  async enqueue(
    { links, alternates = [] }: ExtractedPage,
    refreshUrl: string | undefined,
    foundOn: string,
    depth: number,
  ): Promise<void> {
    if (depth > this.#maxDepth) return
    const urls: NewUrl[] = []
    const found = links.filter(({ nofollow }) => !nofollow).map(({ url }) => url)
    for (const target of [...found, ...alternates].concat(refreshUrl ?? [])) {
      const normal = tryNormalize(target)
      if (normal === undefined || !this.#scope.includes(normal)) continue
      // Only a query can have irrelevant parameters, and most links have none.
      const url = normal.includes('?') ? await this.#parameters.strip(normal) : normal
      urls.push({ url, depth, foundOn, priority: url.includes('?') ? QUERY_PRIORITY : undefined })
    }
    const linked = this.#unproven.take(urls.map(({ url }) => url))
    const patch = { claimedOnly: undefined, foundOn, attempts: 0, error: undefined }
    for (const url of linked) await this.#frontier.retry(url, this.#timers.now(), patch)
    this.#onEnqueued([...(await this.#frontier.enqueue(urls)), ...linked.map(url => ({ url, depth }))])
  }

  /**
   * Returns the address that a page claims: its canonical link, in the header or in the head. Undefined if that is its
   * own, out of scope, or on another site.
   *
   * @param declared - the canonical URL in the page.
   * @param urls - the URLs that led to the page.
   */
  async claimOf(
    { url, headers }: FetchedPage,
    declared: string | undefined,
    urls: readonly string[],
  ): Promise<string | undefined> {
    const inHeader = linkHeaderTarget(headers.link, 'canonical')
    const address = (inHeader === undefined ? undefined : URL.parse(inHeader, url)?.href) ?? declared
    const normal = address === undefined ? undefined : tryNormalize(address)
    const claim = normal === undefined ? undefined : await this.#parameters.strip(normal)
    if (claim === undefined || urls.includes(claim) || !this.#scope.includes(claim)) return undefined
    return siteOf(new URL(claim)) === siteOf(new URL(url)) ? claim : undefined
  }
}
