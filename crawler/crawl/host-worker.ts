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
export type HostRest =
  /** It has more to fetch now. */
  | { kind: 'more' }
  /** Nothing before an instant, epoch ms. */
  | { kind: 'until'; at: number }
  /** Nothing but pages whose capture waits to be acknowledged. */
  | { kind: 'drained' }

export interface HostWorkerParts {
  frontier: Frontier
  batch: CaptureBatch
  rules: OriginRules
  visitor: PageVisitor
  failures: VisitFailures
  parameters: IrrelevantParameters
  /** Reads the sitemaps that a host's robots.txt names; absent: none are. */
  sitemaps?: SitemapDiscovery
  /** How long the sitemaps of an origin stay good, ms; default: for the whole crawl. */
  sitemapIntervalMs?: number
  politeness: Politeness
  timers: Timers
  agent: string
  report: CrawlReport
  retryDelayMs: number
  stop: AbortSignal
  /** Whether another page may be asked for in this run. */
  mayFetch: () => boolean
  onPage: (url: string, outcome: VisitOutcome) => void
}

// Then another host gets the place: with more hosts than places none waits for a large one to end.
const pagesPerStay = 20
const originsKept = 10_000

/** Works through the due URLs of one host, one after the other. */
export class HostWorker {
  readonly #parts: HostWorkerParts
  /** When the sitemaps of an origin were looked at, epoch ms. */
  readonly #origins = new LRUCache<string, number>({ max: originsKept })

  constructor(parts: HostWorkerParts) {
    this.#parts = parts
  }

  async work(host: string): Promise<HostRest> {
    const { frontier, stop, mayFetch } = this.#parts
    try {
      for (let pages = 0; pages < pagesPerStay; pages++) {
        if (stop.aborted || !mayFetch()) return { kind: 'drained' }
        const rest = await this.#one(host)
        if (rest) return rest
      }
      return { kind: 'more' }
    } finally {
      frontier.leaveHost(host)
    }
  }

  /** Does one URL. Returns why to leave the host, or nothing to go on. */
  async #one(host: string): Promise<HostRest | undefined> {
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
    const settled = await this.#settleUnasked(url, record)
    if (settled) {
      onPage(url, settled)
      return undefined
    }
    return await this.#ask(url, record)
  }

  /** Settles a URL that need not be asked for: another one stands for it, or its site calls it fresh. */
  async #settleUnasked(url: string, record: PageRecord): Promise<VisitOutcome | undefined> {
    const { frontier, parameters, timers, report } = this.#parts
    const stripped = await parameters.strip(url)
    if (stripped !== url) {
      // It was queued before its parameters were found to change nothing.
      await frontier.enqueue([{ url: stripped, depth: record.depth, priority: record.priority }])
      await frontier.settle([{ url, patch: { state: 'skipped', storedAs: undefined } }], [], timers.now())
      report.duplicates++
      return 'duplicate'
    }
    if (!isFresh(record, timers.now())) return undefined
    await frontier.settle([{ url, patch: { attempts: 0, error: undefined } }], [], timers.now())
    report.fresh++
    return 'fresh'
  }

  async #ask(url: string, record: PageRecord): Promise<HostRest | undefined> {
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
      return this.#comeBack(target)
    }
    if (unreachable && unreachable.code !== 'ASOF_FETCH_STATUS') {
      // No robots.txt because there is no site to be had: that is what to report.
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

  /** The rules of an origin; the first time in a crawl, and now and then in a watched one, its sitemaps are read on the way. */
  async #rulesOf(target: URL): Promise<RobotsAnswer | undefined> {
    const { sitemaps, sitemapIntervalMs = Number.POSITIVE_INFINITY, timers } = this.#parts
    const answer = await this.#parts.rules.of(target)
    if (!sitemaps || !answer || answer.unreachable) return answer
    const lookedAt = this.#origins.get(target.origin)
    if (lookedAt !== undefined && lookedAt + sitemapIntervalMs > timers.now()) return answer
    this.#origins.set(target.origin, timers.now())
    for (const sitemap of answer.rules.sitemaps) await sitemaps.read(sitemap, { host: target.host })
    return answer
  }

  #comeBack(target: URL): HostRest {
    const { politeness, timers, rules, retryDelayMs } = this.#parts
    politeness.backOff(target.host, timers.now() + retryDelayMs * 4 ** (rules.tries(target) - 1))
    return { kind: 'until', at: politeness.readyAt(target.host) }
  }
}
