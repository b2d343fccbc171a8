import { type Engine, type ExtractedPage, type ExtractOptions, isAsofError, type Refresh } from '@asof/core'
import { plainText } from '@asof/core/internal'
import { parseRefresh } from '@asof/extract/internal'
import type { CorpusFields } from '../corpus/corpus-fields.ts'
import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import { tryNormalize } from '../discovery/page-url.ts'
import type { Scope } from '../discovery/scope.ts'
import type { KnownError } from '../errors.ts'
import type { FetchedPage } from '../fetch/fetcher.ts'
import { freshUntil } from '../fetch/http-freshness.ts'
import { countsAfter } from '../frontier/change-rate.ts'
import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { Renderer } from '../rendering/renderer.ts'
import { isHtml, needsRendering } from '../rendering/script-shell.ts'
import type { CrawlTally } from '../report/crawl-tally.ts'
import type { Timers } from '../timers.ts'
import { type AnsweredVisit, answeredVisit, patchOf, urlsOf, type VisitedUrls } from './answered-visit.ts'
import type { Claimants, ClaimedAddresses, ClaimedVisit } from './claimed-address.ts'
import { isFatal } from './fatal-error.ts'
import { contentOf, contentOfStored, textHashOf } from './page-content.ts'
import type { Onward, PageAnswer, PageRequests } from './page-request.ts'
import type { PageStorage, StorablePage } from './page-storage.ts'
import { isUnavailable } from './unavailable-after.ts'
import type { UnprovenAddresses } from './unproven-addresses.ts'
import type { VisitChecks } from './visit-checks.ts'
import type { VisitFailures } from './visit-failure.ts'
import type { VisitResult } from './visit-result.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/** Extracts the content of a page from its bytes. */
export type ExtractPage = (bytes: Uint8Array, options: ExtractOptions) => Promise<ExtractedPage>

interface Parts {
  engine: Engine
  frontier: Frontier
  checks: VisitChecks
  requests: PageRequests
  failures: VisitFailures
  storage: PageStorage
  parameters: IrrelevantParameters
  politeness: Politeness
  scope: Scope
  tally: CrawlTally
  timers: Timers
  extract: ExtractPage
  /** The field rules of the corpus, if it has any. */
  fields?: CorpusFields | undefined
  /** Renders all pages, or those that need it. Undefined if no page is rendered. */
  rendering?: { renderer: Renderer; all: boolean } | undefined
  /** The rules of robots.txt. They also apply to requests of a rendered page to its own site. */
  rules: OriginRules
  claims: ClaimedAddresses
  unproven: UnprovenAddresses
  /** Called with URLs that are new in the frontier. */
  onEnqueued: (urls: NewUrl[]) => void
  maxDepth: number
  /** The crawler's product token, for X-Robots-Tag. */
  productToken: string
}

// Wait for the outcome of a page that another crawler is visiting, before a URL that redirects to it is visited again.
const elsewhereWaitMs = 2000
// Priority of a URL with a query, which is more often a list or another view than a page of its own.
const queryPriority = 6

/** Longest time of a refresh that counts as a redirect, s. Readers of a page with a longer one are meant to read it. */
const maxRefreshSeconds = 10
/** Longest text of a page that only leads to another one, UTF-16 units. A longer one is a page of its own with a link. */
const maxStubUnits = 300

/** A page that is to be stored once the address that it claims was visited. */
interface Storable {
  kind: 'storable'
  page: StorablePage
}

/** Visits pages of the frontier: checks, requests, extracts and stores each page, and records the outcome. */
export class PageVisitor {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Visits one URL in flight. The result tells the caller how to continue, even after a failure of the page, its site
   * or the network.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the engine or the frontier cannot be used.
   */
  async visit(url: string, record: FrontierRecord): Promise<VisitResult> {
    const result = await this.#visit(url, record, { holder: url, urls: [] })
    if (result.kind === 'leadsBack' || result.kind === 'circle')
      throw new TypeError(`${url} has no claimants that its visit could concern`)
    return result
  }

  async #visit(url: string, record: FrontierRecord, claimants: Claimants): Promise<ClaimedVisit> {
    const { checks, requests, failures } = this.#parts
    const checked = await checks.check(url, record)
    if (checked) return checked
    const orFailure = async <T>(work: () => Promise<T>): Promise<T | VisitResult> => {
      try {
        return await work()
      } catch (error) {
        // Extraction may fail for this page, or the engine may reject it, for example because of a field.
        if (isFatal(error)) throw error
        return await failures.fail(url, record, error as KnownError)
      }
    }
    const answered = await requests.request<ClaimedVisit | Storable>(
      url,
      record,
      answer => orFailure(() => this.#useAnswer(url, record, answer)),
      claimants,
    )
    if (answered.kind !== 'storable') return answered
    return await orFailure(() => this.#store(answered.page, claimants))
  }

  /** Stores a page after the address that it claims was visited. No request is running meanwhile. */
  async #store(page: StorablePage, claimants: Claimants): Promise<ClaimedVisit> {
    const { storage, claims } = this.#parts
    const settled = await claims.settle(page, claimants, (...asked) => this.#visit(...asked))
    switch (settled.kind) {
      case 'settled':
        return { kind: 'finished', outcome: await storage.store(settled.page) }
      case 'again':
        return { kind: 'retry', dueAt: settled.dueAt, patch: {} }
      default:
        return settled
    }
  }

  async #useAnswer(url: string, record: FrontierRecord, answer: PageAnswer): Promise<ClaimedVisit | Storable | Onward> {
    const { frontier, tally, storage, failures, politeness, timers } = this.#parts
    switch (answer.kind) {
      case 'fetched':
        politeness.noteAnswer(new URL(answer.page.url).host)
        return await this.#process(answer.page, answer.urls, record)
      case 'repeated':
        tally.countAnswer(0)
        await storage.alias(answeredVisit(answer.urls, record, {}), answer.storedAs)
        return { kind: 'finished', outcome: 'duplicate' }
      case 'outside':
        await frontier.finish([{ url, patch: { state: 'skipped', error: undefined } }], timers.now())
        return { kind: 'finished', outcome: 'outside' }
      case 'robots':
        return await failures.skipByRobots(url)
      case 'failed':
        return await failures.fail(url, record, answer.error)
      case 'elsewhere':
        return { kind: 'retry', dueAt: timers.now() + politeness.jitter(elsewhereWaitMs), patch: {} }
      default:
        return answer
    }
  }

  async #process(
    page: FetchedPage,
    urls: VisitedUrls,
    record: FrontierRecord,
  ): Promise<VisitResult | Storable | Onward> {
    const { frontier, parameters, claims, tally, timers, productToken, fields } = this.#parts
    const now = timers.now()
    const visit = answeredVisit(urls, record, learnFrom(page, now, fields))
    const extracted = page.status === 304 ? undefined : await this.#extract(page, now)
    const refresh = extracted && refreshOf(page, extracted)
    if (refresh && refresh.seconds <= maxRefreshSeconds && refresh.url !== visit.url && isStub(extracted))
      return { kind: 'onward', url: refresh.url }
    tally.countAnswer(page.body.length)
    tally.countStatus(page.status)
    const before = visit.url === visit.requestedUrl ? record : await frontier.get(visit.url)
    if (!extracted) return await this.#keep(visit, before)

    const header = parseRobotsTag(page.headers['x-robots-tag'], productToken)
    if (!header.nofollow && !extracted.robots.nofollow)
      await this.#enqueueLinks(extracted, refresh?.url, visit.url, record.depth + 1)
    const dates = [header.unavailableAfter, extracted.robots.unavailableAfter]
    if (header.noindex || extracted.robots.noindex || dates.some(date => isUnavailable(date, now)))
      return await this.#leaveOut(visit)

    tally.countLosses(visit.url, textUnits(extracted) === 0, extracted.replacedCharacters ?? 0)
    const textHash = textHashOf(extracted.markdown)
    if (before?.textHash !== undefined)
      Object.assign(visit.learned, countsAfter(before, before.textHash !== textHash, now))
    if (textHash !== undefined) await parameters.observe(visit.requestedUrl, textHash)
    const claim = await claims.claimOf(page, extracted.canonicalUrl, urlsOf(visit))
    visit.learned.claim = claim
    return { kind: 'storable', page: { ...visit, claim, textHash, content: contentOf(extracted) } }
  }

  async #extract(page: FetchedPage, now: number): Promise<ExtractedPage> {
    const { extract, fields, rendering, tally } = this.#parts
    const { url, contentType } = page
    const options = { url, latestAt: now, contentType, fields: fields?.rules }
    const extracted = await extract(page.body, options)
    if (!rendering || !(rendering.all ? isHtml(page) : needsRendering(page, extracted))) return extracted
    try {
      const html = await rendering.renderer.render(page, asked => this.#mayAsk(url, asked))
      const rendered = await extract(html, { ...options, contentType: 'text/html; charset=utf-8' })
      tally.countRendering(true)
      return rendered
    } catch (error) {
      if (!isAsofError(error)) throw error
      tally.countRendering(false)
      return extracted
    }
  }

  /**
   * True if a script of the page may send a request. On the page's own site robots.txt decides. For other sites only
   * the address guard applies.
   */
  #mayAsk(pageUrl: string, asked: URL): boolean {
    if (asked.origin !== new URL(pageUrl).origin) return true
    return this.#parts.rules.peek(asked)?.rules.allowed(this.#parts.productToken, asked.href) ?? false
  }

  async #keep(visit: AnsweredVisit, before: FrontierRecord | undefined): Promise<VisitResult | Storable> {
    const { engine, frontier, timers } = this.#parts
    const storedAs = before?.storedAs
    // The address that the page claims may have got its text meanwhile.
    const stored = storedAs !== undefined && before?.claim !== undefined ? await engine.page(storedAs) : undefined
    if (stored?.url === visit.url) {
      const { claim, textHash } = before ?? {}
      return { kind: 'storable', page: { ...visit, claim, textHash, content: contentOfStored(stored) } }
    }
    if (before) Object.assign(visit.learned, countsAfter(before, false, timers.now()))
    if (storedAs !== undefined) await engine.markSeen(storedAs)
    const patch = storedAs === undefined ? {} : { storedAs }
    const updates = urlsOf(visit).map(url => ({ url, patch: { ...patchOf(visit, url), ...patch } }))
    await frontier.finish(updates, timers.now())
    return { kind: 'finished', outcome: 'unchanged' }
  }

  async #leaveOut(visit: AnsweredVisit): Promise<VisitResult> {
    const { engine, frontier, tally, timers } = this.#parts
    const { record, requestedUrl } = visit
    if (record.storedAs === requestedUrl && (await engine.remove(requestedUrl))) tally.countRemoval()
    const patch = { storedAs: undefined, textHash: undefined }
    const updates = urlsOf(visit).map(url => ({ url, patch: { ...patchOf(visit, url), ...patch } }))
    await frontier.finish(updates, timers.now())
    return { kind: 'finished', outcome: 'noindex' }
  }

  async #enqueueLinks(
    { links, alternates = [] }: ExtractedPage,
    refreshUrl: string | undefined,
    foundOn: string,
    depth: number,
  ): Promise<void> {
    const { scope, frontier, parameters, unproven, timers, onEnqueued, maxDepth } = this.#parts
    if (depth > maxDepth) return
    const urls: NewUrl[] = []
    const found = links.filter(({ nofollow }) => !nofollow).map(({ url }) => url)
    for (const target of [...found, ...alternates, ...(refreshUrl === undefined ? [] : [refreshUrl])]) {
      const normal = tryNormalize(target)
      if (normal === undefined || !scope.includes(normal)) continue
      // Only a query can have irrelevant parameters, and most links have none.
      const url = normal.includes('?') ? await parameters.strip(normal) : normal
      urls.push({ url, depth, foundOn, priority: url.includes('?') ? queryPriority : undefined })
    }
    const linked = unproven.take(urls.map(({ url }) => url))
    for (const url of linked)
      await frontier.retry(url, timers.now(), { claimedOnly: undefined, foundOn, attempts: 0, error: undefined })
    onEnqueued([...(await frontier.enqueue(urls)), ...linked.map(url => ({ url, depth }))])
  }
}

/** Returns the refresh in the header `Refresh` or in a page, with a normalized URL. */
function refreshOf({ url, headers }: FetchedPage, { refresh }: ExtractedPage): Refresh | undefined {
  const inHeader = parseRefresh(headers.refresh ?? '')
  const target = inHeader ? URL.parse(inHeader.reference, url)?.href : refresh?.url
  const normal = target === undefined ? undefined : tryNormalize(target)
  return normal === undefined ? undefined : { url: normal, seconds: (inHeader ?? refresh)?.seconds ?? 0 }
}

/** Length of the start of a page that shows whether the page has a text. Only the addresses of pictures and links may be longer. */
const lookedAtUnits = 50_000

/** Returns the number of UTF-16 units in the text of a page, without its markup. Of a long page, only the start counts. */
function textUnits({ markdown }: ExtractedPage): number {
  const start = plainText(markdown.slice(0, lookedAtUnits)).trim().length
  return start > 0 || markdown.length <= lookedAtUnits ? start : plainText(markdown).trim().length
}

/** True for a page that only says that it was moved. */
function isStub(extracted: ExtractedPage): boolean {
  return textUnits(extracted) <= maxStubUnits
}

/** Returns what an answer changes in the record of its URL: validators, freshness and time of the fetch. */
function learnFrom(page: FetchedPage, now: number, fields: CorpusFields | undefined): Partial<FrontierRecord> {
  const learned: Partial<FrontierRecord> = { lastFetchedAt: now, freshUntilAt: freshUntil(page.headers, now) }
  // A 304 need not repeat the validators, so the recorded ones stay.
  if (page.etag !== undefined || page.status !== 304) learned.etag = page.etag
  if (page.lastModified !== undefined || page.status !== 304) learned.lastModified = page.lastModified
  if (page.status !== 304) learned.fieldsKey = fields?.key
  return learned
}
