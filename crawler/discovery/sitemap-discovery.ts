import { LRUCache } from 'lru-cache'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import type { Timers } from '../timers.ts'
import type { IrrelevantParameters } from './irrelevant-parameters.ts'
import { tryNormalize } from './page-url.ts'
import type { Scope } from './scope.ts'
import { parseSitemap } from './sitemap.ts'
import type { SitemapEntry } from './sitemap-entry.ts'
import type { SitemapRequests } from './sitemap-requests.ts'

const MAX_INDEX_DEPTH = 2
/** Maximum number of sitemaps and feeds from one source: the robots.txt of a host, or a file that the corpus names. */
const MAX_FILES_PER_SOURCE = 1000
/** Minimum number of sitemaps and feeds that a run may read, whatever its page limit. */
const MIN_FILES_PER_RUN = 10
const SOURCES_KEPT = 10_000
const ORIGINS_KEPT = 10_000
const ENQUEUED_AT_ONCE = 2000

interface Parts {
  requests: SitemapRequests
  frontier: Frontier
  scope: Scope
  parameters: IrrelevantParameters
  timers: Timers
  stop: AbortSignal
  /** Page limit of the run. It also limits the number of sitemaps and feeds, but not below ten. */
  maxPages: number
  /** In a watched run, the time after which a file is read again, ms. Undefined if each file is read once. */
  intervalMs?: number | undefined
  /** Called with URLs that are new in the frontier or have become due. */
  onEnqueued: (urls: NewUrl[]) => void
}

/** Which URLs a file may list in addition to those of its own host: those of another host, or all in scope. */
export type Vouching = { host: string } | 'scope'

/** Adds the URLs that sitemaps and feeds list to the frontier. */
export class SitemapDiscovery {
  readonly #requests: SitemapRequests
  readonly #frontier: Frontier
  readonly #scope: Scope
  readonly #parameters: IrrelevantParameters
  readonly #timers: Timers
  readonly #stop: AbortSignal
  readonly #maxPages: number
  readonly #intervalMs: number | undefined
  readonly #onEnqueued: (urls: NewUrl[]) => void
  /** For each source, how many files were read and since when. */
  readonly #filesOf = new LRUCache<string, { files: number; since: number }>({ max: SOURCES_KEPT })
  /** When the sitemaps of each origin were last read, epoch ms. */
  readonly #origins = new LRUCache<string, number>({ max: ORIGINS_KEPT })
  #filesRead = 0

  constructor({ requests, frontier, scope, parameters, timers, stop, maxPages, intervalMs, onEnqueued }: Parts) {
    this.#requests = requests
    this.#frontier = frontier
    this.#scope = scope
    this.#parameters = parameters
    this.#timers = timers
    this.#stop = stop
    this.#maxPages = maxPages
    this.#intervalMs = intervalMs
    this.#onEnqueued = onEnqueued
  }

  /**
   * Reads the sitemaps that the robots.txt of an origin names. In a watched run, reads them again after each
   * `intervalMs`.
   */
  async readNamed({ origin, host }: URL, sitemaps: readonly string[]): Promise<void> {
    const readAt = this.#origins.get(origin)
    if (readAt !== undefined && readAt + (this.#intervalMs ?? Number.POSITIVE_INFINITY) > this.#timers.now()) return
    this.#origins.set(origin, this.#timers.now())
    for (const sitemap of sitemaps) {
      // The other crawler may die before it has read the file, so the next visit of this origin checks again.
      if ((await this.read(sitemap, { host })) === 'taken') this.#origins.delete(origin)
    }
  }

  /** Reads the files that other crawlers were reading when they died. Returns false if there were none. */
  async readAbandoned(): Promise<boolean> {
    let found = await this.#frontier.abandonedSitemap()
    const hasAny = found !== undefined
    for (; found && !this.#stop.aborted; found = await this.#frontier.abandonedSitemap()) {
      const { url, vouchingHost } = found
      await this.read(url, vouchingHost === undefined ? 'scope' : { host: vouchingHost })
    }
    return hasAny
  }

  /**
   * Reads a sitemap or feed, unless it was read recently. Also reads the sitemaps in an index, down to two levels. A
   * file that cannot be fetched is reported once. Returns `taken` if another crawler is reading it.
   *
   * @param vouching - the host whose robots.txt names the file. The file may then list URLs of this host and of its own
   *   host (sitemaps.org, "cross submits"); others are ignored. `scope` for a file that the corpus names.
   */
  async read(fileUrl: string, vouching: Vouching): Promise<'read' | 'taken'> {
    const vouchingHost = vouching === 'scope' ? undefined : vouching.host
    const intervalMs = this.#intervalMs
    const nowAt = this.#timers.now()
    const claim = await this.#frontier.claimSitemap({ url: fileUrl, vouchingHost, nowAt, intervalMs })
    if (claim !== 'claimed') return claim
    const source = vouching === 'scope' ? fileUrl : vouching.host
    const waiting = [{ url: fileUrl, depth: 0 }]
    const seen = new Set([fileUrl])
    // The loop appends to the list that it iterates over.
    for (const { url, depth } of waiting) {
      if (this.#stop.aborted || !this.#mayRead(source)) break
      const children = await this.#readOne(url, vouching)
      if (depth >= MAX_INDEX_DEPTH) continue
      for (const child of children) {
        if (seen.size >= MAX_FILES_PER_SOURCE || seen.has(child)) continue
        seen.add(child)
        waiting.push({ url: child, depth: depth + 1 })
      }
    }
    if (!this.#stop.aborted) await this.#frontier.markSitemapRead(fileUrl, this.#timers.now())
    return 'read'
  }

  /** Counts one more file of a source. Returns false if the source or the run must not read another. */
  #mayRead(source: string): boolean {
    const now = this.#timers.now()
    let count = this.#filesOf.get(source)
    if (!count || (this.#intervalMs !== undefined && now >= count.since + this.#intervalMs)) {
      count = { files: 0, since: now }
      this.#filesOf.set(source, count)
    }
    // In a watched run the number of files is not limited, since `maxPages` then limits the known URLs.
    const isRunFull = this.#intervalMs === undefined && this.#filesRead >= Math.max(MIN_FILES_PER_RUN, this.#maxPages)
    if (isRunFull || count.files >= MAX_FILES_PER_SOURCE) return false
    count.files++
    this.#filesRead++
    return true
  }

  /** Adds the pages in one file to the frontier. Returns the sitemaps that the file lists. */
  async #readOne(url: string, vouching: Vouching): Promise<string[]> {
    const file = await this.#requests.request(url)
    if (!file) return []
    const { entries } = await parseSitemap(file.body, file.url)
    const own = new URL(url).host
    const trusted = entries.filter(entry => {
      const { host } = new URL(entry.url)
      return vouching === 'scope' || host === own || host === vouching.host
    })
    const pages = trusted.filter(entry => !entry.isSitemap)
    for (let from = 0; from < pages.length; from += ENQUEUED_AT_ONCE) {
      const urls: NewUrl[] = []
      for (const entry of pages.slice(from, from + ENQUEUED_AT_ONCE)) {
        // Translations get no date and priority, because these are those of the page.
        const translations = (entry.translations ?? []).map(translation => ({ url: translation }))
        for (const each of [entry, ...translations]) {
          const known = await this.#newUrl(each)
          if (known) urls.push({ ...known, foundOn: url })
        }
      }
      await this.#frontier.enqueue(urls)
      // A known page may have become due, because its file says that it changed.
      this.#onEnqueued(urls)
    }
    return trusted.filter(entry => entry.isSitemap).map(entry => entry.url)
  }

  async #newUrl({ url, lastmodAt, priority }: SitemapEntry): Promise<NewUrl | undefined> {
    const normal = tryNormalize(url)
    if (normal === undefined || !this.#scope.includes(normal)) return undefined
    return { url: await this.#parameters.strip(normal), depth: 1, priority: priorityOf(priority), changedAt: lastmodAt }
  }
}

/** Converts the priority in a sitemap (0 to 1, higher is sooner) to that of the frontier (3 to 7, lower is sooner). */
function priorityOf(priority = 0.5): number {
  return Math.round(7 - 4 * priority)
}
