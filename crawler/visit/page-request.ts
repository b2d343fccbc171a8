import { AsofError } from '@asof/core'
import { tryNormalize } from '../discovery/page-url.ts'
import type { Scope } from '../discovery/scope.ts'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import { isPdf, isReadableType, saysNothing } from '../fetch/readable-type.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { PageRecord } from '../frontier/frontier-record.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness, Turn } from '../politeness/politeness.ts'
import type { CaptureBatch } from './capture-batch.ts'

export interface RequestParts {
  frontier: Frontier
  batch: CaptureBatch
  fetcher: Fetcher
  rules: OriginRules
  politeness: Politeness
  scope: Scope
  /** What robots.txt knows us by. */
  agent: string
  /** Ends waiting, not requests under way. */
  stop: AbortSignal
  /** Whether another page may be asked for in this run. */
  mayFetch: () => boolean
}

/** The normalised URLs that a visit went through, and where it ended early. */
export class Route {
  readonly requestedUrl: string
  readonly names: string[]
  end: { kind: 'known'; owner: string } | { kind: 'outside' } | undefined
  stopped = false
  /** The turn that the visit has; whoever made the route leaves it. */
  turn: Turn | undefined

  constructor(requestedUrl: string) {
    this.requestedUrl = requestedUrl
    this.names = [requestedUrl]
  }
}

/** Asks for one page of the frontier: in each host's turn, conditionally, and only through redirects that may be followed. */
export class PageRequests {
  readonly #parts: RequestParts

  constructor(parts: RequestParts) {
    this.#parts = parts
  }

  /**
   * Fetches the page that a route begins at. The route then says where it led, and holds the place of the last turn.
   *
   * @returns `undefined` when the crawl was stopped or had asked for enough pages first.
   * @throws ASOF_ROBOTS_DISALLOWED - a redirect leads past a robots.txt.
   * @throws ASOF_FETCH_REDIRECTS - among others when `route.end` is set; and all errors of {@link Fetcher.fetch}.
   */
  async fetch(route: Route, record: PageRecord): Promise<FetchedPage | undefined> {
    const { fetcher, frontier, politeness, stop, mayFetch } = this.#parts
    const validators = new Map([[route.requestedUrl, record]])
    route.turn = await politeness.turn(hostWithPort(route.requestedUrl), stop)
    // Others may have used up the limit while this one waited for its turn.
    if (!route.turn || !mayFetch()) return undefined
    try {
      frontier.countFetched()
      return await fetcher.fetch(route.requestedUrl, {
        validators: hop => {
          const held = validators.get(hop)
          // A page left out for noindex has nothing stored that a 304 could stand for.
          return held?.storedAs === undefined ? undefined : pickValidators(held)
        },
        accepts: contentType => contentType === undefined || isReadableType(contentType) || saysNothing(contentType),
        acceptsHead: (head, contentType) => contentType === undefined || !saysNothing(contentType) || isPdf(head),
        onRedirect: async hop => {
          route.turn?.release()
          const next = tryNormalize(hop)
          if (next !== undefined) await this.#enter(route, next, record)
          if (next === undefined || route.end) throw new AsofError('ASOF_FETCH_REDIRECTS', `${hop} is not followed`)
          const known = await frontier.get(next)
          if (known) validators.set(hop, known)
          route.turn = await politeness.turn(new URL(hop).host, stop)
          if (!route.turn) throw stopped(route)
        },
      })
    } catch (error) {
      if (route.stopped) return undefined
      throw error
    } finally {
      route.turn?.end()
    }
  }

  /** Decides whether a redirect is followed: not out of scope, not to what is known, not past a robots.txt. */
  async #enter(route: Route, next: string, record: PageRecord): Promise<void> {
    const { scope, frontier, batch, rules, agent } = this.#parts
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
    if (!answer) throw stopped(route)
    if (!answer.rules.allowed(agent, next)) {
      throw new AsofError('ASOF_ROBOTS_DISALLOWED', `${next}: redirected to, but robots.txt forbids it`)
    }
    route.names.push(next)
  }
}

function stopped(route: Route): AsofError {
  route.stopped = true
  return new AsofError('ASOF_FETCH_REDIRECTS', 'the crawl was stopped')
}

function pickValidators({ etag, lastModified }: PageRecord): { etag?: string; lastModified?: string } {
  return { ...(etag === undefined ? {} : { etag }), ...(lastModified === undefined ? {} : { lastModified }) }
}
