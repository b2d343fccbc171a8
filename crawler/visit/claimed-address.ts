import type { Frontier, NewUrl } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { Politeness } from '../politeness/politeness.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'
import type { Timers } from '../timers.ts'
import type { CaptureBuffer } from './capture-buffer.ts'
import type { StorablePage } from './page-storage.ts'
import type { VisitResult } from './visit-result.ts'

/** The pages that wait for the visit of an address, because each claims to be the next one. */
export interface Claimants {
  /** The URL in flight to which all visits of the chain belong. */
  holder: string
  /** The URLs that answered, the first claimant first. */
  urls: readonly string[]
}

/** How the visit of an address ended that other pages claim. */
export type ClaimedVisit =
  | VisitResult
  /** The address redirects to a claimant. `urls` are those that redirected. */
  | { kind: 'leadsBack'; to: string; urls: readonly string[] }
  /** The pages claim each other. The claim of `keeper` is void; the address is visited again after it. */
  | { kind: 'circle'; keeper: string }

/** What becomes of a page whose claimed address was visited. */
export type Settled =
  /** It can be stored. The storage decides whether the claim is true. */
  | { kind: 'settled'; page: StorablePage }
  /** It must be visited again after the address. */
  | { kind: 'again'; dueAt: number }
  | { kind: 'circle'; keeper: string }
  | { kind: 'stopped' }

interface Parts {
  frontier: Frontier
  buffer: CaptureBuffer
  politeness: Politeness
  timers: Timers
  stop: AbortSignal
  /** Called with URLs that are new in the frontier. */
  onEnqueued: (urls: NewUrl[]) => void
  /** Called when the visit of a claimed address ends. */
  onPage: (url: string, outcome: VisitOutcome) => void
  maxDepth: number
  /** Wait after the first failed attempt of a page, ms. Each further wait is four times as long. */
  retryDelayMs: number
}

/** Visits the address of a page. */
export type VisitClaimed = (url: string, record: FrontierRecord, claimants: Claimants) => Promise<ClaimedVisit>

// Maximum number of pages of which each claims to be the next one.
const MAX_CLAIMANTS = 5
/** Wait for the outcome of a page that another crawler is visiting, ms. */
export const ELSEWHERE_WAIT_MS = 2000
const MAX_WAIT_MS = 600_000

/**
 * Has the address visited that a page claims as its own, before the page is stored. So it does not matter which of the two
 * a crawl finds first.
 */
export class ClaimedAddresses {
  readonly #frontier: Frontier
  readonly #buffer: CaptureBuffer
  readonly #politeness: Politeness
  readonly #timers: Timers
  readonly #stop: AbortSignal
  readonly #onEnqueued: (urls: NewUrl[]) => void
  readonly #onPage: (url: string, outcome: VisitOutcome) => void
  readonly #maxDepth: number
  readonly #retryDelayMs: number

  constructor({ frontier, buffer, politeness, timers, stop, onEnqueued, onPage, maxDepth, retryDelayMs }: Parts) {
    this.#frontier = frontier
    this.#buffer = buffer
    this.#politeness = politeness
    this.#timers = timers
    this.#stop = stop
    this.#onEnqueued = onEnqueued
    this.#onPage = onPage
    this.#maxDepth = maxDepth
    this.#retryDelayMs = retryDelayMs
  }

  /** Has the address of a page visited, unless this run has visited it or must not. */
  async settle(page: StorablePage, claimants: Claimants, visit: VisitClaimed): Promise<Settled> {
    const { claim } = page
    const urls = [...claimants.urls, page.url]
    if (claim === undefined) return { kind: 'settled', page }
    if (claimants.urls.includes(claim)) return circleOf(page, urls, claim)
    const record = await this.#recordOf(claim, page)
    if (!record || urls.length >= MAX_CLAIMANTS) return { kind: 'settled', page }
    if (record.attempts > 0) return { kind: 'again', dueAt: this.#nextAttemptAt(record) }
    if (!(await this.#frontier.reserve(claim, claimants.holder)))
      return { kind: 'again', dueAt: this.#politeness.inAbout(ELSEWHERE_WAIT_MS) }
    return await this.#after(page, urls, await visit(claim, record, { ...claimants, urls }))
  }

  /** Returns the record of an address that is to be visited; undefined if there is nothing to do. */
  async #recordOf(claim: string, { url, record }: StorablePage): Promise<FrontierRecord | undefined> {
    const depth = record.depth + 1
    if (depth > this.#maxDepth || this.#buffer.find(claim)) return undefined
    const known = await this.#frontier.get(claim)
    if (known) return known.state === 'pending' ? known : undefined
    this.#onEnqueued(await this.#frontier.enqueue([{ url: claim, depth, foundOn: url, claimedOnly: true }]))
    return await this.#frontier.get(claim)
  }

  /** Returns when the next attempt at an address has ended that failed before, epoch ms. */
  #nextAttemptAt({ attempts }: FrontierRecord): number {
    return this.#timers.now() + Math.min(this.#retryDelayMs * 4 ** attempts, MAX_WAIT_MS)
  }

  async #after(page: StorablePage, urls: readonly string[], visited: ClaimedVisit): Promise<Settled> {
    const claim = page.claim as string
    switch (visited.kind) {
      case 'finished':
        this.#onPage(claim, visited.outcome)
        return { kind: 'settled', page }
      case 'buffered':
        return { kind: 'settled', page }
      case 'retry':
        await this.#frontier.retry(claim, visited.dueAt, visited.patch)
        this.#onPage(claim, 'later')
        return { kind: 'again', dueAt: visited.dueAt + 1 }
      case 'blocked':
        return { kind: 'again', dueAt: visited.untilAt + 1 }
      case 'stopped':
        // At the page limit the run continues to its end, and what it has fetched is stored.
        return this.#stop.aborted ? { kind: 'stopped' } : { kind: 'settled', page }
      case 'leadsBack': {
        if (visited.to !== page.url) return circleOf(page, urls, visited.to)
        this.#onPage(claim, 'duplicate')
        const redirects = [...new Set([...page.redirects, ...visited.urls])].filter(url => url !== page.url)
        return { kind: 'settled', page: { ...page, redirects, claim: undefined } }
      }
      case 'circle':
        if (visited.keeper !== page.url) return visited
        return { kind: 'settled', page: { ...page, claim: undefined } }
    }
  }
}

/**
 * Returns what becomes of the last page of a chain that claims an earlier one. The claim of the page whose URL sorts first
 * is void, so that the pages keep the same address whichever is visited first.
 */
function circleOf(page: StorablePage, urls: readonly string[], claimed: string): Settled {
  const [keeper = page.url] = urls.slice(urls.indexOf(claimed)).sort()
  if (keeper !== page.url) return { kind: 'circle', keeper }
  return { kind: 'settled', page: { ...page, claim: undefined } }
}
