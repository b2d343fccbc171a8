import {
  AsofError,
  type Engine,
  type ExtractedPage,
  type ExtractOptions,
  isAsofError,
  normalizeUrl,
} from '../core/index.ts'
import { type CaptureBatch, isFatal } from './capture-batch.ts'
import { contentOf } from './captured-content.ts'
import { type CrawlReport, countFailure } from './crawl-report.ts'
import type { FetchedPage, Fetcher } from './fetcher.ts'
import type { Frontier, NewUrl } from './frontier.ts'
import type { PageRecord } from './frontier-record.ts'
import type { OriginRules } from './origin-rules.ts'
import { type PagePlacement, type Visit, visited } from './page-placement.ts'
import type { Politeness } from './politeness.ts'
import type { Scope } from './scope.ts'
import type { Timers } from './timers.ts'
import { parseRobotsTag } from './x-robots-tag.ts'

/** How one visit ended. `later`: tried again in this run. `stopped`: the crawl was stopped first. */
export type VisitOutcome =
  | 'captured'
  | 'unchanged'
  | 'duplicate'
  | 'noindex'
  | 'robots'
  | 'outside'
  | 'failed'
  | 'later'
  | 'stopped'

export interface VisitSettings {
  maxDepth: number
  /** Tries a page gets in a run. */
  maxAttempts: number
  /** Wait before the second try; each further one is four times as long. */
  retryDelayMs: number
  /** The longest `Retry-After` that is waited for within a run. */
  maxRetryAfterMs: number
  /** What robots.txt and X-Robots-Tag know us by. */
  agent: string
}

/** What visits work with; one set for a crawl. */
export interface VisitParts {
  engine: Engine
  frontier: Frontier
  batch: CaptureBatch
  placement: PagePlacement
  fetcher: Fetcher
  rules: OriginRules
  politeness: Politeness
  scope: Scope
  report: CrawlReport
  timers: Timers
  extract: (bytes: Uint8Array, options: ExtractOptions) => Promise<ExtractedPage>
  /** Told of URLs that have become known. */
  onEnqueued: (urls: NewUrl[]) => void
  /** Ends waiting, not requests under way. */
  stop: AbortSignal
}

const readableTypes =
  /^(?:text\/(?!css|javascript|calendar)|application\/(?:xhtml\+xml|xml|json|pdf|epub\+zip|vnd\.openxmlformats-officedocument\.|(?:[\w.-]+\+)?(?:xml|json)\b)|message\/rfc822)/i

/** Fetches pages of the frontier and carries each to its end: stored, aliased, retried, failed or gone. */
export class PageVisitor {
  readonly #parts: VisitParts
  readonly #settings: VisitSettings

  constructor(parts: VisitParts, settings: VisitSettings) {
    this.#parts = parts
    this.#settings = settings
  }

  /**
   * Visits one URL in flight. Failures of the page, its site or the network end as an outcome.
   *
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - engine or frontier are unusable.
   */
  async visit(url: string, record: PageRecord): Promise<VisitOutcome> {
    const route = new Route(url)
    const { frontier, report } = this.#parts
    try {
      const page = await this.#fetch(route, record)
      if (!page) return 'stopped'
      report.fetched++
      report.bytes += page.body.length
      return await this.#digest(page, route, record)
    } catch (error) {
      if (route.end?.kind === 'known') {
        report.fetched++
        await this.#parts.placement.alias(this.#visitOf(route, record, {}), route.end.owner)
        return 'duplicate'
      }
      if (route.end?.kind === 'outside') {
        await frontier.settle([{ url, patch: { state: 'skipped', error: undefined } }])
        return 'outside'
      }
      if (isAsofError(error, 'ASOF_ROBOTS_DISALLOWED')) {
        await this.skipByRobots(url)
        return 'robots'
      }
      if (isFatal(error)) throw error
      return await this.#fail(url, record, error as AsofError)
    }
  }

  /** Settles a URL that robots.txt forbids. */
  async skipByRobots(url: string): Promise<void> {
    this.#parts.report.skippedByRobots++
    await this.#parts.frontier.settle([{ url, patch: { state: 'skipped', error: 'ASOF_ROBOTS_DISALLOWED' } }])
  }

  /** Settles a URL as failed. */
  async giveUp(url: string, error: unknown, patch: Partial<PageRecord> = {}): Promise<void> {
    const code = countFailure(this.#parts.report, url, error)
    await this.#parts.frontier.settle([{ url, patch: { ...patch, state: 'failed', error: code } }])
  }

  async #fetch(route: Route, record: PageRecord): Promise<FetchedPage | undefined> {
    const { fetcher, frontier, politeness, stop } = this.#parts
    const validators = new Map([[route.requestedUrl, record]])
    let endTurn = await politeness.turn(new URL(route.requestedUrl).host, stop)
    if (!endTurn) return undefined
    try {
      frontier.countFetched()
      return await fetcher.fetch(route.requestedUrl, {
        validators: hop => {
          const held = validators.get(hop)
          // A page left out for noindex has nothing stored that a 304 could stand for.
          return held?.storedAs === undefined ? undefined : pickValidators(held)
        },
        accepts: contentType => contentType === undefined || readableTypes.test(contentType.trim()),
        onRedirect: async hop => {
          endTurn?.()
          const next = tryNormalise(hop)
          if (next !== undefined) await this.#enter(route, next, record)
          if (next === undefined || route.end) throw new AsofError('ASOF_FETCH_REDIRECTS', `${hop} is not followed`)
          const known = await frontier.get(next)
          if (known) validators.set(hop, known)
          endTurn = await politeness.turn(new URL(hop).host, stop)
          if (!endTurn) {
            route.stopped = true
            throw new AsofError('ASOF_FETCH_REDIRECTS', 'the crawl was stopped')
          }
        },
      })
    } catch (error) {
      if (route.stopped) return undefined
      throw error
    } finally {
      endTurn?.()
    }
  }

  /** Decides whether a redirect is followed: not out of scope, not to what is known, not past a robots.txt. */
  async #enter(route: Route, next: string, record: PageRecord): Promise<void> {
    const { scope, frontier, batch, rules } = this.#parts
    const target = new URL(next)
    // Spellings that normalise to the URL itself (a trailing slash, say) are no other page.
    if (route.names.at(-1) === next) return
    if (!scope.includes(next)) {
      // Where a seed leads is where the operator meant.
      if (record.depth === 0 && scope.addHost(target)) await frontier.addScopeHost(next)
      if (!scope.includes(next)) {
        route.end = { kind: 'outside' }
        return
      }
    }
    const known = await frontier.get(next)
    const owner =
      batch.holding(next)?.capture.url ??
      (known?.run === frontier.run.run && known.state === 'done' ? known.storedAs : undefined)
    if (owner !== undefined) {
      route.end = { kind: 'known', owner }
      return
    }
    const answer = await rules.of(target)
    if (!answer) {
      route.stopped = true
      throw new AsofError('ASOF_FETCH_REDIRECTS', 'the crawl was stopped')
    }
    if (!answer.rules.allowed(this.#settings.agent, next)) {
      throw new AsofError('ASOF_ROBOTS_DISALLOWED', `${next}: redirected to, but robots.txt forbids it`)
    }
    route.names.push(next)
  }

  async #digest(page: FetchedPage, route: Route, record: PageRecord): Promise<VisitOutcome> {
    const { engine, frontier, placement, report, timers } = this.#parts
    const learnt: Partial<PageRecord> = { lastFetchedAt: timers.now() }
    if (page.etag !== undefined || page.status !== 304) learnt.etag = page.etag
    if (page.lastModified !== undefined || page.status !== 304) learnt.lastModified = page.lastModified
    const visit = this.#visitOf(route, record, learnt)

    if (page.status === 304) {
      report.unchanged++
      const known = visit.url === visit.requestedUrl ? record : await frontier.get(visit.url)
      const patch = known?.storedAs === undefined ? {} : { storedAs: known.storedAs }
      if (known?.storedAs !== undefined) await engine.seen(known.storedAs)
      await frontier.settle(allNames(visit).map(url => ({ url, patch: { ...visited(visit, url), ...patch } })))
      return 'unchanged'
    }

    const { contentType } = page
    const extracted = await this.#parts.extract(page.body, {
      url: page.url,
      latestAt: timers.now(),
      ...(contentType === undefined ? {} : { contentType }),
    })
    const header = parseRobotsTag(page.headers['x-robots-tag'], this.#settings.agent)
    if (!header.nofollow && !extracted.robots.nofollow) await this.#enqueueLinks(extracted, record.depth + 1)

    if (header.noindex || extracted.robots.noindex) {
      if (record.storedAs === route.requestedUrl && (await engine.remove(route.requestedUrl))) report.removed++
      report.noindex++
      const patch = { storedAs: undefined, textHash: undefined }
      await frontier.settle(allNames(visit).map(url => ({ url, patch: { ...visited(visit, url), ...patch } })))
      return 'noindex'
    }
    const canonicalUrl = extracted.canonicalUrl === undefined ? undefined : tryNormalise(extracted.canonicalUrl)
    const placed = await placement.place({
      ...visit,
      ...(canonicalUrl !== undefined && this.#parts.scope.includes(canonicalUrl) ? { canonicalUrl } : {}),
      content: contentOf(extracted),
    })
    return placed === 'capture' ? 'captured' : 'duplicate'
  }

  async #enqueueLinks(extracted: ExtractedPage, depth: number): Promise<void> {
    if (depth > this.#settings.maxDepth) return
    const urls: string[] = []
    for (const link of extracted.links) {
      const url = link.nofollow ? undefined : tryNormalise(link.url)
      if (url !== undefined && this.#parts.scope.includes(url)) urls.push(url)
    }
    this.#parts.onEnqueued(await this.#parts.frontier.enqueue(urls.map(url => ({ url, depth }))))
  }

  async #fail(url: string, record: PageRecord, error: AsofError): Promise<VisitOutcome> {
    const { frontier, politeness, timers } = this.#parts
    const status = isAsofError(error, 'ASOF_FETCH_STATUS') ? Number(error.details?.status) : undefined
    if (status === 404 || status === 410) return await this.#gone(url, record, error)

    const attempts = record.attempts + 1
    const asked = Number(error.details?.retryAfterMs ?? 0)
    const waitMs = Math.max(asked, this.#settings.retryDelayMs * 4 ** record.attempts)
    if (status === 429 || status === 503) {
      const untilAt = timers.now() + Math.min(waitMs, this.#settings.maxRetryAfterMs)
      politeness.backOff(new URL(String(error.details?.url ?? url)).host, untilAt)
    }
    const again = error.retryable || (status !== undefined && (status >= 500 || [408, 425, 429].includes(status)))
    if (again && attempts < this.#settings.maxAttempts && asked <= this.#settings.maxRetryAfterMs) {
      await frontier.retry(url, timers.now() + waitMs, { attempts, error: error.code })
      return 'later'
    }
    await this.giveUp(url, error, { attempts })
    return 'failed'
  }

  /** A page that is gone leaves the index when its site says so on two visits in a row. */
  async #gone(url: string, record: PageRecord, error: AsofError): Promise<VisitOutcome> {
    const { engine, report } = this.#parts
    const missing = (record.missing ?? 0) + 1
    const stored = record.storedAs === url
    if (stored && missing >= 2) {
      if (await engine.remove(url)) report.removed++
      await this.giveUp(url, error, { missing, storedAs: undefined, textHash: undefined })
    } else await this.giveUp(url, error, { missing })
    return 'failed'
  }

  #visitOf(route: Route, record: PageRecord, learnt: Partial<PageRecord>): Visit {
    const url = route.names.at(-1)!
    return { requestedUrl: route.requestedUrl, url, redirects: route.names.slice(0, -1), record, learnt }
  }
}

/** The normalised URLs that a visit went through, and where it ended early. */
class Route {
  readonly requestedUrl: string
  readonly names: string[]
  end: { kind: 'known'; owner: string } | { kind: 'outside' } | undefined
  stopped = false

  constructor(requestedUrl: string) {
    this.requestedUrl = requestedUrl
    this.names = [requestedUrl]
  }
}

function allNames(visit: Visit): string[] {
  return [...new Set([visit.requestedUrl, ...visit.redirects, visit.url])]
}

function pickValidators({ etag, lastModified }: PageRecord): { etag?: string; lastModified?: string } {
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}

/** A URL as the frontier knows it, or `undefined` when it is none. */
export function tryNormalise(url: string): string | undefined {
  try {
    return normalizeUrl(url)
  } catch (error) {
    // A link that is no URL leads nowhere: it is not a failure of the page it stands on.
    if (isAsofError(error, 'ASOF_INVALID_URL')) return undefined
    throw error
  }
}
