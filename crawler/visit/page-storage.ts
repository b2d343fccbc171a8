import { isDeepStrictEqual } from 'node:util'
import type { Engine, Page } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { countsAfter } from '../frontier/change-rate.ts'
import type { Frontier, FrontierUpdate, StoredText } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import { siteOf } from '../site.ts'
import type { Timers } from '../timers.ts'
import { type AnsweredVisit, patchOf, urlsOf } from './answered-visit.ts'
import type { BufferedCapture, CaptureBuffer } from './capture-buffer.ts'
import { changeShare } from './change-share.ts'
import type { PageContent } from './page-content.ts'

/** A fetched and extracted page that is to be stored. */
export interface StorablePage extends AnsweredVisit {
  canonicalUrl?: string
  /** Undefined if the text is too short to identify the page. */
  textHash?: string
  content: PageContent
}

/** How a page was stored: as a new capture, as an alias of a page with the same text, or not at all. */
export type StoreOutcome = 'captured' | 'duplicate' | 'unchanged'

interface Parts {
  engine: Engine
  frontier: Frontier
  buffer: CaptureBuffer
  timers: Timers
  /** Share of a page's words, 0 to 1, that may change without a new capture. */
  changeThreshold: number
}

/**
 * Decides under which URL a page is stored, or of which page it is an alias, and adds it to the buffer. Decisions are
 * made one at a time, because each depends on those before.
 */
export class PageStorage {
  readonly #engine: Engine
  readonly #frontier: Frontier
  readonly #buffer: CaptureBuffer
  readonly #timers: Timers
  readonly #changeThreshold: number

  constructor({ engine, frontier, buffer, timers, changeThreshold }: Parts) {
    this.#engine = engine
    this.#frontier = frontier
    this.#buffer = buffer
    this.#timers = timers
    this.#changeThreshold = changeThreshold
  }

  /** Adds a page to the buffer, or makes its URL an alias of a page with the same text. */
  store(page: StorablePage): Promise<StoreOutcome> {
    return this.#buffer.exclusively(() => this.#store(page))
  }

  /** Makes the URLs of a visit aliases of a page that is in the index or in the buffer. */
  alias(visit: AnsweredVisit, storedAs: string): Promise<void> {
    return this.#buffer.exclusively(() => this.#alias(visit, storedAs))
  }

  async #store(page: StorablePage): Promise<StoreOutcome> {
    const storedAs = chooseUrl(page)
    const { textHash } = page
    const host = hostWithPort(storedAs)
    await this.#buffer.whenCommitted(storedAs, textHash === undefined ? undefined : { host, textHash })
    const own = await this.#frontier.get(storedAs)
    const storedThisRun = own?.run === this.#frontier.run.run && own.state === 'done' && own.storedAs === storedAs
    const buffered = this.#buffer.find(storedAs)
    if (buffered || (storedAs !== page.requestedUrl && storedThisRun)) {
      await this.#alias(page, buffered?.capture.url ?? storedAs)
      return 'duplicate'
    }

    const stored = own?.storedAs === storedAs ? await this.#storedLike(page, storedAs, own) : undefined
    if (own && stored) {
      const patch = { storedAs, ...countsAfter(own, false, this.#timers.now()) }
      const updates = urlsOf(page).map(url => ({ url, patch: { ...patchOf(page, url), ...patch } }))
      if (hasSameMetadata(page.content, stored)) {
        await this.#engine.markSeen(storedAs)
        await this.#frontier.finish(updates, this.#timers.now())
      } else {
        // With a change threshold, the fetched text may differ from the stored one. The stored text is used, so that
        // the engine records a revision, not a new capture.
        const { title, markdown } = stored
        const capture = { ...page.content, url: storedAs, title, markdown }
        this.#buffer.add({ capture, updates, texts: [], repeatsText: true })
      }
      return 'unchanged'
    }

    const texts: StoredText[] = []
    if (textHash !== undefined) {
      const other = this.#buffer.findText(host, textHash) ?? (await this.#frontier.findText(host, textHash))
      if (other !== undefined && other !== storedAs && (await this.#holds(other, host, textHash))) {
        await this.#alias(page, other)
        return 'duplicate'
      }
      texts.push({ host, textHash, storedAs })
    }
    if (own?.textHash !== undefined && own.textHash !== textHash) {
      const holder = await this.#frontier.findText(host, own.textHash)
      if (holder === storedAs) texts.push({ host, textHash: own.textHash, storedAs: undefined })
    }
    await this.#leaveOwnPage(page, storedAs)
    this.#buffer.add(captureOf(page, storedAs, textHash, texts))
    return 'captured'
  }

  /**
   * Returns the stored page if the fetched text differs too little for a new capture; otherwise undefined. Also
   * undefined if the URL must become an alias of the page, since a capture is needed for that.
   */
  async #storedLike(page: StorablePage, storedAs: string, own: FrontierRecord): Promise<Page | undefined> {
    if (own.textHash === undefined || page.textHash === undefined) return undefined
    if (page.requestedUrl !== storedAs && page.record.storedAs !== storedAs) return undefined
    if (page.redirects.length > 0 && page.record.storedAs !== storedAs) return undefined
    if (page.textHash !== own.textHash && this.#changeThreshold === 0) return undefined
    const stored = await this.#engine.page(storedAs)
    if (!stored || (page.content.title !== undefined && page.content.title !== stored.title)) return undefined
    const isLike =
      page.textHash === own.textHash || changeShare(stored.markdown, page.content.markdown) <= this.#changeThreshold
    return isLike ? stored : undefined
  }

  async #alias(visit: AnsweredVisit, storedAs: string): Promise<void> {
    await this.#buffer.whenCommitted(storedAs)
    const aliases = urlsOf(visit).filter(url => url !== storedAs)
    const updates = aliases.map(url => ({
      url,
      patch: { ...patchOf(visit, url), storedAs, textHash: undefined },
    }))
    await this.#leaveOwnPage(visit, storedAs)
    const buffered = this.#buffer.find(storedAs)
    if (buffered) {
      this.#buffer.extend(buffered, aliases, updates)
      return
    }
    const stored = visit.record.storedAs === storedAs ? undefined : await this.#engine.page(storedAs)
    if (!stored) {
      await this.#frontier.finish(updates, this.#timers.now())
      return
    }
    // A capture is needed to add an alias. With the stored content it makes no new version.
    const {
      acquiredAt: _acquired,
      revisedAt: _revised,
      supersededAt: _superseded,
      lastSeenAt: _seen,
      ...content
    } = stored
    this.#buffer.add({ capture: { ...content, aliases }, updates, texts: [], repeatsText: true })
  }

  /** Removes a page from the index if its URL becomes an alias of another page. */
  async #leaveOwnPage({ record, requestedUrl }: AnsweredVisit, storedAs: string): Promise<void> {
    if (record.storedAs === requestedUrl && storedAs !== requestedUrl) await this.#engine.remove(requestedUrl)
  }

  /**
   * True if the page stored under a URL still has a text. Since the text was stored, the page may have changed, been
   * removed or become an alias.
   */
  async #holds(storedAs: string, host: string, textHash: string): Promise<boolean> {
    const buffered = this.#buffer.find(storedAs)
    // A capture that repeats its page's stored text does not list the text in the buffer. The frontier has it.
    if (buffered && !buffered.repeatsText) return this.#buffer.findText(host, textHash) === storedAs
    const record = await this.#frontier.get(storedAs)
    return record?.storedAs === storedAs && record.textHash === textHash
  }
}

/**
 * True if a fetched page has the same metadata as the stored page. The kind counts only if the page declares one,
 * because otherwise the engine derives it.
 */
function hasSameMetadata({ publishedAt, kind, ...content }: PageContent, stored: Page): boolean {
  const date = publishedAt === undefined ? undefined : parseInstant(publishedAt, 'publishedAt')
  if (date !== stored.publishedAt || (kind !== undefined && kind !== stored.kind)) return false
  return (['author', 'description', 'lang', 'siteName', 'publishedFrom', 'data', 'fields'] as const).every(field =>
    isDeepStrictEqual(content[field], stored[field]),
  )
}

function captureOf(
  page: StorablePage,
  storedAs: string,
  textHash: string | undefined,
  texts: StoredText[],
): BufferedCapture {
  const urls = urlsOf(page)
  const aliases = urls.filter(url => url !== storedAs)
  const updates: FrontierUpdate[] = urls.map(url => ({
    url,
    patch: { ...patchOf(page, url), storedAs, textHash: url === storedAs ? textHash : undefined },
  }))
  if (!urls.includes(storedAs)) {
    // The page is stored under its canonical URL, so this run need not fetch that URL.
    updates.push({
      url: storedAs,
      patch: { depth: page.record.depth, storedAs, missing: 0, attempts: 0, error: undefined, textHash },
    })
  }
  return { capture: { ...page.content, url: storedAs, aliases }, updates, texts }
}

/**
 * Returns the URL under which a page is stored: its canonical URL if that is plausible, otherwise the URL that
 * answered.
 */
function chooseUrl({ url, canonicalUrl }: StorablePage): string {
  if (canonicalUrl === undefined || canonicalUrl === url) return url
  const canonical = URL.parse(canonicalUrl)
  const own = new URL(url)
  if (!canonical || siteOf(canonical) !== siteOf(own)) return url
  // Some templates give every page the home page as its canonical URL, which would merge the whole site into one page.
  if (canonical.pathname === '/' && canonical.search === '' && !isIndexPath(own.pathname)) return url
  return canonicalUrl
}

function isIndexPath(path: string): boolean {
  return path === '/' || /^\/(?:index|default|home)(?:\.[a-z]{2,5})?\/?$/i.test(path)
}
