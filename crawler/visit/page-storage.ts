import { isDeepStrictEqual } from 'node:util'
import type { Engine, Page } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { historyAfter } from '../frontier/change-rate.ts'
import type { Frontier, FrontierUpdate, TextOwner } from '../frontier/frontier.ts'
import type { PageRecord } from '../frontier/frontier-record.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { siteOf } from '../site.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBatch, PendingCapture } from './capture-batch.ts'
import { changeShare } from './change-share.ts'
import type { PageContent } from './page-content.ts'
import { patchOf, urlsOf, type Visit } from './visit.ts'

/** A fetched and extracted page that is to be stored. */
export interface StorablePage extends Visit {
  canonicalUrl?: string
  /** Absent if the text is too short to identify the page. */
  textHash?: string
  content: PageContent
}

/** How a page was stored: as a new capture, as an alias of a page with the same text, or not at all because nothing changed. */
export type StoreOutcome = 'captured' | 'duplicate' | 'unchanged'

interface Parts {
  engine: Engine
  frontier: Frontier
  batch: CaptureBatch
  timers: Timers
  /** Share of a page's words that may change without a new capture; 0 to 1. */
  changeThreshold: number
}

/**
 * Decides under which URL a page is stored, or which stored page has the same text, and adds it to the buffer. Makes one
 * decision at a time, because each depends on the earlier ones.
 */
export class PageStorage {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #batch: CaptureBatch
  readonly #timers: Timers
  readonly #changeThreshold: number

  constructor({ engine, frontier, batch, timers, changeThreshold }: Parts) {
    this.#engine = engine
    this.#frontier = frontier
    this.#batch = batch
    this.#timers = timers
    this.#changeThreshold = changeThreshold
  }

  /** Adds a page to the buffer, or makes its URL an alias of a page with the same text. */
  store(page: StorablePage): Promise<StoreOutcome> {
    return this.#batch.exclusively(() => this.#store(page))
  }

  /** Makes the URLs of a visit aliases of a page that is in the index or in the buffer. */
  alias(visit: Visit, owner: string): Promise<void> {
    return this.#batch.exclusively(() => this.#alias(visit, owner))
  }

  async #store(page: StorablePage): Promise<StoreOutcome> {
    const captureUrl = chooseUrl(page)
    const { textHash } = page
    const host = hostWithPort(captureUrl)
    await this.#batch.committed(captureUrl, host, textHash)
    const own = await this.#frontier.get(captureUrl)
    const storedThisRun = own?.run === this.#frontier.run.run && own.state === 'done' && own.storedAs === captureUrl
    const pending = this.#batch.pending(captureUrl)
    if (pending || (captureUrl !== page.requestedUrl && storedThisRun)) {
      await this.#alias(page, pending?.capture.url ?? captureUrl)
      return 'duplicate'
    }

    const stored = own?.storedAs === captureUrl ? await this.#storedLike(page, captureUrl, own) : undefined
    if (own && stored) {
      const patch = { storedAs: captureUrl, ...historyAfter(own, false, this.#timers.now()) }
      const updates = urlsOf(page).map(url => ({ url, patch: { ...patchOf(page, url), ...patch } }))
      if (hasSameMetadata(page.content, stored)) {
        await this.#engine.markSeen(captureUrl)
        await this.#frontier.settle(updates, [], this.#timers.now())
      } else {
        // The fetched text may differ from the stored text within the change threshold. The capture gets the stored text, so that the
        // engine records a revision of the metadata and not a new capture.
        const { title, markdown } = stored
        const capture = { ...page.content, url: captureUrl, title, markdown }
        this.#batch.add({ capture, updates, owners: [], knownText: true })
      }
      return 'unchanged'
    }

    const owners: TextOwner[] = []
    if (textHash !== undefined) {
      const owner = this.#batch.ownerOf(host, textHash) ?? (await this.#frontier.ownerOf(host, textHash))
      if (owner !== undefined && owner !== captureUrl && (await this.#holds(owner, host, textHash))) {
        await this.#alias(page, owner)
        return 'duplicate'
      }
      owners.push({ host, textHash, url: captureUrl })
    }
    if (own?.textHash !== undefined && own.textHash !== textHash) {
      const holder = await this.#frontier.ownerOf(host, own.textHash)
      if (holder === captureUrl) owners.push({ host, textHash: own.textHash, url: undefined })
    }
    await this.#leaveOwnPage(page, captureUrl)
    this.#batch.add(captureOf(page, captureUrl, textHash, owners))
    return 'captured'
  }

  /**
   * Returns the stored page if the fetched text is too similar to make a new capture, otherwise `undefined`. Also returns
   * `undefined` if the visit used a URL that is not an alias of the page yet, because the index learns an alias with a capture.
   */
  async #storedLike(page: StorablePage, captureUrl: string, own: PageRecord): Promise<Page | undefined> {
    if (own.textHash === undefined || page.textHash === undefined) return undefined
    if (page.requestedUrl !== captureUrl && page.record.storedAs !== captureUrl) return undefined
    if (page.redirects.length > 0 && page.record.storedAs !== captureUrl) return undefined
    if (page.textHash !== own.textHash && this.#changeThreshold === 0) return undefined
    const stored = await this.#engine.page(captureUrl)
    if (!stored || (page.content.title !== undefined && page.content.title !== stored.title)) return undefined
    const isLike =
      page.textHash === own.textHash || changeShare(stored.markdown, page.content.markdown) <= this.#changeThreshold
    return isLike ? stored : undefined
  }

  async #alias(visit: Visit, owner: string): Promise<void> {
    await this.#batch.committed(owner, '', undefined)
    const aliases = urlsOf(visit).filter(url => url !== owner)
    const updates = aliases.map(url => ({
      url,
      patch: { ...patchOf(visit, url), storedAs: owner, textHash: undefined },
    }))
    await this.#leaveOwnPage(visit, owner)
    const pending = this.#batch.pending(owner)
    if (pending) {
      this.#batch.extend(pending, aliases, updates)
      return
    }
    const known = visit.record.storedAs === owner ? undefined : await this.#engine.page(owner)
    if (!known) {
      await this.#frontier.settle(updates, [], this.#timers.now())
      return
    }
    // The index learns an alias with a capture. A capture with the stored content makes no new version.
    const {
      acquiredAt: _acquired,
      revisedAt: _revised,
      supersededAt: _superseded,
      lastSeenAt: _seen,
      ...content
    } = known
    this.#batch.add({ capture: { ...content, aliases }, updates, owners: [], knownText: true })
  }

  /** Removes a page from the index when its URL becomes an alias of another page. */
  async #leaveOwnPage({ record, requestedUrl }: Visit, owner: string): Promise<void> {
    if (record.storedAs === requestedUrl && owner !== requestedUrl) await this.#engine.remove(requestedUrl)
  }

  /** True if the page stored under a URL still has a text. It may have changed, been removed or become an alias since. */
  async #holds(owner: string, host: string, textHash: string): Promise<boolean> {
    const pending = this.#batch.pending(owner)
    // A capture in the buffer that repeats the stored text does not change where the frontier finds the text.
    if (pending && !pending.knownText) return this.#batch.ownerOf(host, textHash) === owner
    const record = await this.#frontier.get(owner)
    return record?.storedAs === owner && record.textHash === textHash
  }
}

/**
 * True if the metadata of a fetched page equals the stored metadata. The kind is compared only if the page declares one.
 * Otherwise the engine derives it from the structured data.
 */
function hasSameMetadata({ publishedAt, kind, ...content }: PageContent, stored: Page): boolean {
  const date = publishedAt === undefined ? undefined : parseInstant(publishedAt, 'publishedAt')
  if (date !== stored.publishedAt || (kind !== undefined && kind !== stored.kind)) return false
  return (['author', 'description', 'lang', 'siteName', 'publishedFrom', 'data'] as const).every(field =>
    isDeepStrictEqual(content[field], stored[field]),
  )
}

function captureOf(
  page: StorablePage,
  captureUrl: string,
  textHash: string | undefined,
  owners: TextOwner[],
): PendingCapture {
  const urls = urlsOf(page)
  const aliases = urls.filter(url => url !== captureUrl)
  const updates: FrontierUpdate[] = urls.map(url => ({
    url,
    patch: { ...patchOf(page, url), storedAs: captureUrl, textHash: url === captureUrl ? textHash : undefined },
  }))
  if (!urls.includes(captureUrl)) {
    // This visit stores the canonical URL, so this run need not fetch it.
    updates.push({
      url: captureUrl,
      patch: { depth: page.record.depth, storedAs: captureUrl, missing: 0, attempts: 0, error: undefined, textHash },
    })
  }
  return { capture: { ...page.content, url: captureUrl, aliases }, updates, owners }
}

/** Returns the URL under which a page is stored: its canonical URL if that is plausible, otherwise the URL that answered. */
function chooseUrl({ url, canonicalUrl }: StorablePage): string {
  if (canonicalUrl === undefined || canonicalUrl === url) return url
  const canonical = URL.parse(canonicalUrl)
  const own = new URL(url)
  if (!canonical || siteOf(canonical) !== siteOf(own)) return url
  // Some templates name the home page as the canonical URL of every page. That would merge the whole site into one page.
  if (canonical.pathname === '/' && canonical.search === '' && !isIndexPath(own.pathname)) return url
  return canonicalUrl
}

function isIndexPath(path: string): boolean {
  return path === '/' || /^\/(?:index|default|home)(?:\.[a-z]{2,5})?\/?$/i.test(path)
}
