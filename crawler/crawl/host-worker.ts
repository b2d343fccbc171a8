import { isAsofError } from '@asof/core'
import { LRUCache } from 'lru-cache'
import { type CrawlReport, noteUnreadableRobots } from '../crawl-report.ts'
import type { IrrelevantParameters } from '../discovery/irrelevant-parameters.ts'
import type { SitemapDiscovery } from '../discovery/sitemap-discovery.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { PageRecord } from '../frontier/frontier-record.ts'
import { isFresh } from '../frontier/revisit-plan.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { RobotsAnswer } from '../politeness/robots-cache.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBatch } from '../visit/capture-batch.ts'
import type { PageVisitor, VisitOutcome } from '../visit/page-visit.ts'
import type { VisitFailures } from '../visit/visit-failure.ts'

/** Why a worker left its host. */
export type LeaveReason =
  /** The host has more to fetch now, but it is another host's turn. */
  | { kind: 'more' }
  /** The host has nothing to fetch before an instant, epoch ms. */
  | { kind: 'until'; at: number }
  /** Nothing is left to fetch, except perhaps pages whose captures are pending; or the run is stopped. */
  | { kind: 'drained' }

export interface HostWorkerParts {
  frontier: Frontier
  batch: CaptureBatch
  rules: OriginRules
  visitor: PageVisitor
  failures: VisitFailures
  parameters: IrrelevantParameters
  /** Reads the sitemaps that robots.txt files name. Absent: no sitemap is read. */
  sitemaps?: SitemapDiscovery
  /** How long until the sitemaps of an origin are read again, ms. Absent: they are read once. */
  sitemapIntervalMs?: number
  politeness: Politeness
  timers: Timers
  agent: string
  report: CrawlReport
  retryDelayMs: number
  stop: AbortSignal
  /** True while this run may request another page. */
  mayFetch: () => boolean
  /** Called when the visit of a URL has ended. */
  onPage: (url: string, outcome: VisitOutcome) => void
}

// After this many pages another host gets the worker, so that no host has to wait for a large one to be finished.
const pagesPerStay = 20
const originsKept = 10_000

/** Visits the due URLs of a host, one after the other. */
export class HostWorker {
  readonly #parts: HostWorkerParts
  /** When the sitemaps of an origin were read, epoch ms. */
  readonly #origins = new LRUCache<string, number>({ max: originsKept })

  constructor(parts: HostWorkerParts) {
    this.#parts = parts
  }

  /** Visits up to 20 due URLs of a host. Returns why it left the host. */
  async work(host: string): Promise<LeaveReason> {
    const { frontier, stop, mayFetch } = this.#parts
    try {
      for (let pages = 0; pages < pagesPerStay; pages++) {
        if (stop.aborted || !mayFetch()) return { kind: 'drained' }
        const reason = await this.#visitNext(host)
        if (reason) return reason
      }
      return { kind: 'more' }
    } finally {
      frontier.leaveHost(host)
    }
  }

  /** Visits the next URL of a host. Returns why to leave the host, or `undefined` to continue. */
  async #visitNext(host: string): Promise<LeaveReason | undefined> {
    const { frontier, batch, timers, onPage } = this.#parts
    const next = await frontier.next(host, timers.now())
    if (!next) return { kind: 'drained' }
    if ('dueAt' in next) return { kind: 'until', at: next.dueAt }
    const { url, record } = next
    if (batch.pending(url)) {
      // The visit of another page settles this one too, as soon as its capture is committed.
      await batch.flush()
      frontier.putBack(record)
      return undefined
    }
    const settled = await this.#settleWithoutRequest(url, record)
    if (settled) {
      onPage(url, settled)
      return undefined
    }
    return await this.#visit(url, record)
  }

  /** Settles a URL that need not be requested: it has irrelevant parameters, or its site says that its content is fresh. */
  async #settleWithoutRequest(url: string, record: PageRecord): Promise<VisitOutcome | undefined> {
    const { frontier, parameters, timers, report } = this.#parts
    const stripped = await parameters.strip(url)
    if (stripped !== url) {
      // The URL was queued before its parameters were found to be irrelevant.
      const { depth, priority, foundOn } = record
      await frontier.enqueue([{ url: stripped, depth, priority, ...(foundOn !== undefined && { foundOn }) }])
      await frontier.settle([{ url, patch: { state: 'skipped', storedAs: undefined } }], [], timers.now())
      report.duplicates++
      return 'duplicate'
    }
    if (!isFresh(record, timers.now())) return undefined
    await frontier.settle([{ url, patch: { attempts: 0, error: undefined } }], [], timers.now())
    report.fresh++
    return 'fresh'
  }

  /** Visits a URL if robots.txt allows it. */
  async #visit(url: string, record: PageRecord): Promise<LeaveReason | undefined> {
    const { frontier, visitor, failures, agent, onPage, report, rules } = this.#parts
    const target = new URL(url)
    let answer: RobotsAnswer | undefined
    try {
      answer = await this.#rulesOf(target)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_ADDRESS_REFUSED')) throw error
      await failures.giveUp(url, error)
      onPage(url, 'failed')
      return undefined
    }
    if (!answer) {
      frontier.putBack(record)
      return { kind: 'drained' }
    }
    const { unreachable } = answer
    if (unreachable && !rules.exhausted(target)) {
      frontier.putBack(record)
      return this.#backOff(target)
    }
    if (unreachable && unreachable.code !== 'ASOF_FETCH_STATUS') {
      // The site itself cannot be reached: report that, rather than a page that robots.txt forbids.
      await failures.giveUp(url, unreachable)
      onPage(url, 'failed')
    } else if (!answer.rules.allowed(agent, url)) {
      if (unreachable) noteUnreadableRobots(report, target.origin, unreachable)
      await failures.skipByRobots(url)
      onPage(url, 'robots')
    } else {
      const outcome = await visitor.visit(url, record)
      if (outcome === 'stopped') frontier.putBack(record)
      else onPage(url, outcome)
    }
    return undefined
  }

  /**
   * Returns the rules of an origin. Reads the sitemaps that they name: the first time in a crawl, and in a watched crawl
   * again after each `sitemapIntervalMs`.
   */
  async #rulesOf(target: URL): Promise<RobotsAnswer | undefined> {
    const { sitemaps, sitemapIntervalMs = Number.POSITIVE_INFINITY, timers } = this.#parts
    const answer = await this.#parts.rules.of(target)
    if (!sitemaps || !answer || answer.unreachable) return answer
    const readAt = this.#origins.get(target.origin)
    if (readAt !== undefined && readAt + sitemapIntervalMs > timers.now()) return answer
    this.#origins.set(target.origin, timers.now())
    for (const sitemap of answer.rules.sitemaps) await sitemaps.read(sitemap, { host: target.host })
    return answer
  }

  /** Leaves a host whose robots.txt cannot be read alone for a while: longer after each attempt. */
  #backOff(target: URL): LeaveReason {
    const { politeness, timers, rules, retryDelayMs } = this.#parts
    politeness.backOff(target.host, timers.now() + retryDelayMs * 4 ** (rules.tries(target) - 1))
    return { kind: 'until', at: politeness.readyAt(target.host) }
  }
}
