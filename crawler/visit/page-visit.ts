import { type AsofError, type Engine, type ExtractedPage, type ExtractOptions, isAsofError } from '@asof/core'
import type { CrawlReport } from '../crawl-report.ts'
import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import type { Scope } from '../discovery/scope.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { freshUntil } from '../fetch/http-freshness.ts'
import { historyAfter } from '../frontier/change-rate.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import type { PageRecord } from '../frontier/frontier-record.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { Renderer } from '../rendering/renderer.ts'
import { isHtml, needsRendering } from '../rendering/script-shell.ts'
import type { Timers } from '../timers.ts'
import { isFatal } from './fatal-error.ts'
import { contentOf } from './page-content.ts'
import type { PagePlacement } from './page-placement.ts'
import type { PageAnswer, PageRequests } from './page-request.ts'
import { textHashOf } from './page-text-hash.ts'
import { urlsOf, type Visit, type VisitedUrls, visited, visitOf } from './visit.ts'
import type { VisitFailures } from './visit-failure.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/** How the visit of a URL ended. */
export type VisitOutcome =
  /** A new capture was added. */
  | 'captured'
  /** The text is the one that is stored. */
  | 'unchanged'
  /** The content belongs to another URL, of which this one is an alias from now on. */
  | 'duplicate'
  /** The page asks not to be indexed. */
  | 'noindex'
  /** robots.txt forbids the URL. */
  | 'robots'
  /** The URL redirects out of the crawl's scope. */
  | 'outside'
  /** Nothing was requested: the site says that the stored content is still fresh. */
  | 'fresh'
  /** The page could not be fetched or stored. */
  | 'failed'
  /** The visit failed and will be tried again in this run. */
  | 'later'
  /** The crawl was stopped before the request. */
  | 'stopped'

/** Extracts the content of a page from its bytes. */
export type Extract = (bytes: Uint8Array, options: ExtractOptions) => Promise<ExtractedPage>

/** The parts of a crawl that visits use. */
export interface VisitParts {
  engine: Engine
  frontier: Frontier
  requests: PageRequests
  failures: VisitFailures
  placement: PagePlacement
  parameters: IrrelevantParameters
  politeness: Politeness
  scope: Scope
  report: CrawlReport
  timers: Timers
  extract: Extract
  /** Renders the pages that need it, or all pages. Absent: no page is rendered. */
  rendering?: { renderer: Renderer; all: boolean }
  /** The robots.txt rules, which also apply to requests that a rendered page makes to its own site. */
  rules: OriginRules
  /** Called with URLs that have become known. */
  onEnqueued: (urls: NewUrl[]) => void
  maxDepth: number
  /** The product token by which an X-Robots-Tag may address us. */
  agent: string
}

// URLs with a query are more often lists or views of pages than pages.
const queryPriority = 6

/** Visits pages of the frontier: requests, extracts and stores each, and records the outcome. */
export class PageVisitor {
  readonly #parts: VisitParts

  constructor(parts: VisitParts) {
    this.#parts = parts
  }

  /**
   * Visits one URL in flight. Failures of the page, its site or the network end as an outcome.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the engine or the frontier is unusable.
   */
  async visit(url: string, record: PageRecord): Promise<VisitOutcome> {
    const { requests, failures } = this.#parts
    return await requests.request(url, record, async answer => {
      try {
        return await this.#settle(url, record, answer)
      } catch (error) {
        // Extraction can fail for one page, and so can the engine: for a canonical URL that it does not accept, for example.
        if (isFatal(error)) throw error
        return await failures.fail(url, record, error as AsofError)
      }
    })
  }

  async #settle(url: string, record: PageRecord, answer: PageAnswer): Promise<VisitOutcome> {
    const { frontier, report, placement, failures, politeness, timers } = this.#parts
    switch (answer.kind) {
      case 'fetched':
        politeness.answered(new URL(answer.page.url).host)
        report.fetched++
        report.bytes += answer.page.body.length
        return await this.#process(answer.page, answer.urls, record)
      case 'known':
        report.fetched++
        await placement.alias(visitOf(answer.urls, record, {}), answer.owner)
        return 'duplicate'
      case 'outside':
        await frontier.settle([{ url, patch: { state: 'skipped', error: undefined } }], [], timers.now())
        return 'outside'
      case 'robots':
        await failures.skipByRobots(url)
        return 'robots'
      case 'failed':
        return await failures.fail(url, record, answer.error)
      case 'stopped':
        return 'stopped'
    }
  }

  async #process(page: FetchedPage, urls: VisitedUrls, record: PageRecord): Promise<VisitOutcome> {
    const { frontier, placement, report, parameters, timers, agent } = this.#parts
    const now = timers.now()
    const visit = visitOf(urls, record, learnedFrom(page, now))
    const before = visit.url === visit.requestedUrl ? record : await frontier.get(visit.url)
    if (page.status === 304) return await this.#unchanged(visit, before)

    const extracted = await this.#extract(page, now)
    const header = parseRobotsTag(page.headers['x-robots-tag'], agent)
    if (!header.nofollow && !extracted.robots.nofollow) await this.#enqueueLinks(extracted, visit.url, record.depth + 1)
    if (header.noindex || extracted.robots.noindex) return await this.#leaveOut(visit)

    const textHash = textHashOf(extracted.markdown)
    if (before?.textHash !== undefined)
      Object.assign(visit.learned, historyAfter(before, before.textHash !== textHash, now))
    if (textHash !== undefined) await parameters.observe(visit.requestedUrl, textHash)
    const canonicalUrl = extracted.canonicalUrl === undefined ? undefined : tryNormalize(extracted.canonicalUrl)
    const placed = await placement.place({
      ...visit,
      ...(canonicalUrl !== undefined && this.#parts.scope.includes(canonicalUrl) ? { canonicalUrl } : {}),
      ...(textHash === undefined ? {} : { textHash }),
      content: contentOf(extracted),
    })
    if (placed === 'unchanged') report.unchanged++
    return placed === 'capture' ? 'captured' : placed
  }

  async #extract(page: FetchedPage, now: number): Promise<ExtractedPage> {
    const { extract, rendering, report } = this.#parts
    const { url, contentType } = page
    const options = { url, latestAt: now, ...(contentType === undefined ? {} : { contentType }) }
    const extracted = await extract(page.body, options)
    if (!rendering || !(rendering.all ? isHtml(page) : needsRendering(page, extracted))) return extracted
    try {
      const html = await rendering.renderer.render(page, asked => this.#mayAsk(url, asked))
      report.rendered++
      return await extract(html, { ...options, contentType: 'text/html; charset=utf-8' })
    } catch (error) {
      if (!isAsofError(error)) throw error
      report.renderFailed++
      return extracted
    }
  }

  /**
   * True if a request that a page's script makes may be sent. On the page's own site robots.txt decides; on other sites
   * only the address guard does.
   */
  #mayAsk(pageUrl: string, asked: URL): boolean {
    if (asked.origin !== new URL(pageUrl).origin) return true
    return this.#parts.rules.known(asked)?.rules.allowed(this.#parts.agent, asked.href) ?? false
  }

  async #unchanged(visit: Visit, before: PageRecord | undefined): Promise<VisitOutcome> {
    const { engine, frontier, report, timers } = this.#parts
    report.unchanged++
    if (before) Object.assign(visit.learned, historyAfter(before, false, timers.now()))
    const storedAs = before?.storedAs
    if (storedAs !== undefined) await engine.markSeen(storedAs)
    const patch = storedAs === undefined ? {} : { storedAs }
    const settlements = urlsOf(visit).map(url => ({ url, patch: { ...visited(visit, url), ...patch } }))
    await frontier.settle(settlements, [], timers.now())
    return 'unchanged'
  }

  async #leaveOut(visit: Visit): Promise<VisitOutcome> {
    const { engine, frontier, report, timers } = this.#parts
    const { record, requestedUrl } = visit
    if (record.storedAs === requestedUrl && (await engine.remove(requestedUrl))) report.removed++
    report.noindex++
    const patch = { storedAs: undefined, textHash: undefined }
    const settlements = urlsOf(visit).map(url => ({ url, patch: { ...visited(visit, url), ...patch } }))
    await frontier.settle(settlements, [], timers.now())
    return 'noindex'
  }

  async #enqueueLinks(extracted: ExtractedPage, foundOn: string, depth: number): Promise<void> {
    const { scope, frontier, parameters, onEnqueued, maxDepth } = this.#parts
    if (depth > maxDepth) return
    const urls: NewUrl[] = []
    const found = extracted.links.filter(({ nofollow }) => !nofollow).map(({ url }) => url)
    for (const target of [...found, ...(extracted.alternates ?? [])]) {
      const normal = tryNormalize(target)
      if (normal === undefined || !scope.includes(normal)) continue
      // Most links have no query, and only a query can contain irrelevant parameters.
      const url = normal.includes('?') ? await parameters.strip(normal) : normal
      urls.push({ url, depth, foundOn, ...(url.includes('?') && { priority: queryPriority }) })
    }
    onEnqueued(await frontier.enqueue(urls))
  }
}

/** Returns the fields that an answer gives the record of its URL: validators, freshness and time. */
function learnedFrom(page: FetchedPage, now: number): Partial<PageRecord> {
  const learned: Partial<PageRecord> = { lastFetchedAt: now, freshUntilAt: freshUntil(page.headers, now) }
  // A 304 need not repeat the validators that it confirms, so those of the record stay.
  if (page.etag !== undefined || page.status !== 304) learned.etag = page.etag
  if (page.lastModified !== undefined || page.status !== 304) learned.lastModified = page.lastModified
  return learned
}
