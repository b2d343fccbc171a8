import { isDeepStrictEqual } from 'node:util'
import type { Engine, Page } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { countsAfter } from '../frontier/change-rate.ts'
import type { Frontier, FrontierUpdate, StoredText } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
import { type AnsweredVisit, patchOf, urlsOf } from './answered-visit.ts'
import type { BufferedCapture, CaptureBuffer } from './capture-buffer.ts'
import { changeShare } from './change-share.ts'
import { contentOfStored, type PageContent } from './page-content.ts'
import { isSameText } from './same-text.ts'

/** A fetched and extracted page that is to be stored. */
export interface StorablePage extends AnsweredVisit {
  /** The address that the page claims, if it is another one. It was visited before, if it could be. */
  claim?: string | undefined
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
  tally: CrawlTally
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
  readonly #tally: CrawlTally
  readonly #timers: Timers
  readonly #changeThreshold: number

  constructor({ engine, frontier, buffer, tally, timers, changeThreshold }: Parts) {
    this.#engine = engine
    this.#frontier = frontier
    this.#buffer = buffer
    this.#tally = tally
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

  /**
   * Records that a page has not changed, as its site says. Returns the stored page instead if it must be stored once more,
   * because the address that it claims may have got its text meanwhile.
   *
   * @param before - the record of the URL that answered.
   */
  async confirm(visit: AnsweredVisit, before: FrontierRecord | undefined): Promise<StorablePage | undefined> {
    const { storedAs, claim, textHash } = before ?? {}
    const stored = storedAs !== undefined && claim !== undefined ? await this.#engine.page(storedAs) : undefined
    if (stored?.url === visit.url) return { ...visit, claim, textHash, content: contentOfStored(stored) }
    if (before) Object.assign(visit.learned, countsAfter(before, false, this.#timers.now()))
    if (storedAs !== undefined) await this.#engine.markSeen(storedAs)
    await this.#finish(visit, storedAs === undefined ? {} : { storedAs })
    return undefined
  }

  /** Records a page that must not be in the index, and removes it if it is. */
  async leaveOut(visit: AnsweredVisit): Promise<void> {
    const { record, requestedUrl } = visit
    if (record.storedAs === requestedUrl && (await this.#engine.remove(requestedUrl))) this.#tally.countRemoval()
    await this.#finish(visit, { storedAs: undefined, textHash: undefined })
  }

  /** Finishes all URLs of a visit, each with this patch too. */
  async #finish(visit: AnsweredVisit, patch: Partial<FrontierRecord>): Promise<void> {
    const updates = urlsOf(visit).map(url => ({ url, patch: { ...patchOf(visit, url), ...patch } }))
    await this.#frontier.finish(updates, this.#timers.now())
  }

  async #store(page: StorablePage): Promise<StoreOutcome> {
    const proven = await this.#provenAddress(page)
    if (proven !== undefined) {
      await this.#alias(page, proven)
      return 'duplicate'
    }
    const { textHash, url: storedAs } = page
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
      if (other !== undefined && (await this.#isDuplicateOf(other, storedAs, host, textHash))) {
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
    for (const redirect of page.redirects)
      if ((await this.#frontier.get(redirect))?.storedAs !== storedAs) return undefined
    if (page.textHash !== own.textHash && this.#changeThreshold === 0) return undefined
    const stored = await this.#engine.page(storedAs)
    if (!stored || (page.content.title !== undefined && page.content.title !== stored.title)) return undefined
    const isLike =
      page.textHash === own.textHash || changeShare(stored.markdown, page.content.markdown) <= this.#changeThreshold
    return isLike ? stored : undefined
  }

  /**
   * Returns the URL under which the index has the address that a page claims, if it is another URL and has the same
   * text; otherwise undefined. A page may claim any address.
   */
  async #provenAddress({ claim, url, content }: StorablePage): Promise<string | undefined> {
    if (claim === undefined) return undefined
    await this.#buffer.whenCommitted(claim)
    const visited = await this.#frontier.get(claim)
    const isKnown = visited?.state === 'done' || visited?.state === 'pending'
    const address = this.#buffer.find(claim)?.capture.url ?? (isKnown ? visited.storedAs : undefined)
    if (address === undefined || address === url) return undefined
    const buffered = this.#buffer.find(address)?.capture
    if (buffered?.url === address)
      return typeof buffered.markdown === 'string' && isSameText(content.markdown, buffered.markdown)
        ? address
        : undefined
    const own = await this.#frontier.get(address)
    if (own?.storedAs !== address) return undefined
    const stored = await this.#engine.page(address)
    return stored?.url === address && isSameText(content.markdown, stored.markdown) ? address : undefined
  }

  async #alias(visit: AnsweredVisit, storedAs: string): Promise<void> {
    await this.#buffer.whenCommitted(storedAs)
    // A URL of the visit is the page's own if it was moved to another URL that is an alias of it by now.
    const aliases = urlsOf(visit).filter(url => url !== storedAs)
    const updates = urlsOf(visit).map(url => {
      const patch = { ...patchOf(visit, url), storedAs }
      return { url, patch: url === storedAs ? patch : { ...patch, textHash: undefined } }
    })
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
    const capture = { ...contentOfStored(stored), url: stored.url, aliases }
    this.#buffer.add({ capture, updates, texts: [], repeatsText: true })
  }

  /** Removes a page from the index if its URL becomes an alias of another page. */
  async #leaveOwnPage({ record, requestedUrl }: AnsweredVisit, storedAs: string): Promise<void> {
    if (record.storedAs === requestedUrl && storedAs !== requestedUrl) await this.#engine.remove(requestedUrl)
  }

  /** True if another page has the text of a page, and does not claim that page's address as its own. */
  async #isDuplicateOf(other: string, url: string, host: string, textHash: string): Promise<boolean> {
    if (other === url || !(await this.#holds(other, host, textHash))) return false
    return (await this.#frontier.get(other))?.claim !== url
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
  return { capture: { ...page.content, url: storedAs, aliases }, updates, texts }
}
