import { tryNormalize } from '../discovery/page-url.ts'
import type { Scope } from '../discovery/scope.ts'
import { CrawlError, type KnownError } from '../errors.ts'
import { badRedirect } from '../fetch/fetch-failure.ts'
import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts'
import { isReadableBody, mayBeReadable } from '../fetch/readable-type.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { FrontierRecord } from '../frontier/frontier-record.ts'
import { hostWithPort } from '../frontier/url-host.ts'
import type { OriginRules } from '../politeness/origin-rules.ts'
import type { Politeness, Turn } from '../politeness/politeness.ts'
import type { VisitedUrls } from './answered-visit.ts'
import type { CaptureBuffer } from './capture-buffer.ts'
import { type Claimants, ELSEWHERE_WAIT_MS } from './claimed-address.ts'
import { isFatal } from './fatal-error.ts'

interface Parts {
  frontier: Frontier
  buffer: CaptureBuffer
  fetcher: Fetcher
  rules: OriginRules
  politeness: Politeness
  scope: Scope
  /** The key of the corpus's field rules, if it has any. */
  fieldsKey: string | undefined
  /** Ends the waiting for turns. Running requests continue. */
  stop: AbortSignal
  /** Maximum number of pages requested in one run. */
  maxFetched: number
}

/** How a request for a page ended. */
export type PageAnswer =
  /** The site answered with content, or with 304 because the stored content is unchanged. */
  | { kind: 'fetched'; page: FetchedPage; urls: VisitedUrls }
  /** A redirect led to a page that this run has fetched before. The index has it under `storedAs`, or will soon. */
  | { kind: 'repeated'; storedAs: string; urls: VisitedUrls }
  /** A redirect led out of the crawl's scope. */
  | { kind: 'outside' }
  /** A redirect led to a URL that robots.txt forbids. */
  | { kind: 'robots' }
  /** A redirect led to a page that another crawler is visiting. The URL must be visited again at `dueAt`, epoch ms. */
  | { kind: 'elsewhere'; dueAt: number }
  /** A redirect led to a page whose visit waits for this one. `urls` are those that redirected. */
  | { kind: 'leadsBack'; to: string; urls: VisitedUrls }
  /** The crawl was stopped or reached its page limit before the request. */
  | { kind: 'stopped' }
  /** The page, its site or the network failed. */
  | { kind: 'failed'; error: KnownError }

/** Answers for requests that ended at a redirect or were not made. */
type Stop = Exclude<PageAnswer, { kind: 'fetched' | 'failed' }>

/** The page that answered redirects to a URL, which must be requested too. */
export interface Onward {
  kind: 'onward'
  url: string
}

/** A request with its redirects. */
interface Trail {
  urls: [string, ...string[]]
  /** The record of the first URL. */
  record: FrontierRecord
  claimants: Claimants
  /** The records of the URLs, with the validators of stored pages. */
  records: Map<string, FrontierRecord>
}

/** Maximum number of URLs of a request, of which each but the last redirects. */
const MAX_URLS = 11

/**
 * Requests pages, each when it is the turn of its host, conditionally if the page is stored. Follows only allowed
 * redirects.
 */
export class PageRequests {
  readonly #frontier: Frontier
  readonly #buffer: CaptureBuffer
  readonly #fetcher: Fetcher
  readonly #rules: OriginRules
  readonly #politeness: Politeness
  readonly #scope: Scope
  readonly #fieldsKey: string | undefined
  readonly #stop: AbortSignal
  readonly #maxFetched: number

  constructor({ frontier, buffer, fetcher, rules, politeness, scope, fieldsKey, stop, maxFetched }: Parts) {
    this.#frontier = frontier
    this.#buffer = buffer
    this.#fetcher = fetcher
    this.#rules = rules
    this.#politeness = politeness
    this.#scope = scope
    this.#fieldsKey = fieldsKey
    this.#stop = stop
    this.#maxFetched = maxFetched
  }

  /**
   * Requests a page and passes the answer to `use`, and then that of the URL that `use` returns for a page that
   * redirects by itself. The request counts towards the crawl's concurrency until `use` is done.
   *
   * @param claimants - the pages that claim the URL as their address. Default: none.
   * @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the engine or the frontier cannot be used.
   */
  async request<T>(
    url: string,
    record: FrontierRecord,
    use: (answer: PageAnswer) => Promise<T | Onward>,
    claimants: Claimants = { holder: url, urls: [] },
  ): Promise<T> {
    const turns = new Turns(this.#politeness, this.#stop)
    const trail: Trail = { urls: [url], record, claimants, records: new Map([[url, record]]) }
    try {
      let answer = await this.#ask(trail, turns)
      for (;;) {
        if (answer.kind === 'fetched') this.#politeness.noteAnswer(new URL(answer.page.url).host)
        const result = await use(answer)
        if (!isOnward(result)) return result
        turns.release()
        answer = await this.#goOn(result.url, trail, turns)
      }
    } finally {
      turns.release()
    }
  }

  async #ask(trail: Trail, turns: Turns): Promise<PageAnswer> {
    const [url] = trail.urls
    // The page limit may have been reached during the wait.
    if (!(await turns.next(hostWithPort(url))) || !(await this.#frontier.countFetched(this.#maxFetched)))
      return { kind: 'stopped' }
    return await this.#fetch(url, trail, turns)
  }

  /** Requests the URL to which the last page of a trail redirects by a refresh. */
  async #goOn(target: string, trail: Trail, turns: Turns): Promise<PageAnswer> {
    const { urls } = trail
    try {
      if (urls.includes(target)) throw badRedirect(urls[0], 'redirects in a circle', target)
      if (urls.length >= MAX_URLS)
        throw new CrawlError('ASOF_FETCH_REDIRECTS', `${urls[0]}: more than ${MAX_URLS - 1} redirects`)
      const stop = await this.#enter(target, trail)
      if (stop) return stop
      return (await turns.next(new URL(target).host)) ? await this.#fetch(target, trail, turns) : { kind: 'stopped' }
    } catch (error) {
      if (isFatal(error)) throw error
      return { kind: 'failed', error: error as KnownError }
    }
  }

  async #fetch(url: string, trail: Trail, turns: Turns): Promise<PageAnswer> {
    const { urls, records } = trail
    const onRedirect = async (hop: string): Promise<Stop | undefined> => {
      turns.release()
      const next = tryNormalize(hop)
      if (next === undefined) throw badRedirect(url, 'redirects to an address that cannot be indexed', hop)
      const stop = await this.#enter(next, trail)
      if (stop) return stop
      const found = records.get(next)
      if (found) records.set(hop, found)
      return (await turns.next(new URL(hop).host)) ? undefined : { kind: 'stopped' }
    }
    try {
      const answer = await this.#fetcher.fetchUnless(url, onRedirect, {
        validators: hop => {
          const held = records.get(hop)
          // A 304 is useless for a page that is not stored, for example because of noindex, for one that was read with
          // other field rules, and for an alias, because the page with its text may have changed.
          if (held?.storedAs === undefined || held.storedAs !== tryNormalize(hop)) return undefined
          return held.fieldsKey === this.#fieldsKey ? pickValidators(held) : undefined
        },
        accepts: mayBeReadable,
        acceptsHead: (head, contentType) => isReadableBody(head, contentType, urls.at(-1) ?? url),
      })
      if ('kind' in answer) return answer
      // The site has no page for this URL (RFC 9110, 15.3.5 and 15.3.6). What is stored stays.
      if (answer.status === 204 || answer.status === 205) return { kind: 'failed', error: noContent(answer) }
      return { kind: 'fetched', page: answer, urls }
    } catch (error) {
      if (isFatal(error)) throw error
      return { kind: 'failed', error: error as KnownError }
    } finally {
      turns.end()
    }
  }

  /**
   * Adds the target of a redirect to a trail. If the redirect must not be followed, returns the reason: the target is
   * out of scope, was fetched before, waits for this visit, or is forbidden by robots.txt.
   */
  async #enter(target: string, { urls, record, records, claimants }: Trail): Promise<Stop | undefined> {
    // The target is the same page in another spelling, for example with a trailing slash.
    if (urls.at(-1) === target) return undefined
    const url = new URL(target)
    if (!this.#scope.includes(target)) {
      // If a seed redirects to another host, that host joins the scope, because the operator meant it.
      if (record.depth === 0 && this.#scope.addHost(url)) await this.#frontier.addScopeHost(target)
      if (!this.#scope.includes(target)) return { kind: 'outside' }
    }
    if (claimants.urls.includes(target)) return { kind: 'leadsBack', to: target, urls }
    if (!(await this.#frontier.reserve(target, claimants.holder)))
      return { kind: 'elsewhere', dueAt: this.#politeness.inAbout(ELSEWHERE_WAIT_MS) }
    const found = await this.#frontier.get(target)
    if (found) records.set(target, found)
    const storedAs =
      this.#buffer.find(target)?.capture.url ??
      (found?.run === this.#frontier.run.run && found.state === 'done' ? found.storedAs : undefined)
    if (storedAs !== undefined) return { kind: 'repeated', storedAs, urls }
    const answer = await this.#rules.of(url)
    if (!answer) return { kind: 'stopped' }
    if (!answer.allows(target)) return { kind: 'robots' }
    urls.push(target)
    return undefined
  }
}

function noContent({ url, requestedUrl, status }: FetchedPage): CrawlError {
  return new CrawlError('ASOF_FETCH_STATUS', `${requestedUrl}: status ${status}, an answer without content`, {
    details: { status, url },
  })
}

function isOnward<T>(result: T | Onward): result is Onward {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'onward'
}

/** The turns of one request, one after the other. Each redirect needs a turn of its host. */
class Turns {
  readonly #politeness: Politeness
  readonly #stop: AbortSignal
  #current: Turn | undefined

  constructor(politeness: Politeness, stop: AbortSignal) {
    this.#politeness = politeness
    this.#stop = stop
  }

  /**
   * Waits for the turn of a host. Returns false if the crawl was stopped first. The turn before must have been
   * released.
   */
  async next(host: string): Promise<boolean> {
    this.#current = await this.#politeness.turn(host, this.#stop)
    return this.#current !== undefined
  }

  /** See {@link Turn.end}. */
  end(): void {
    this.#current?.end()
  }

  /** See {@link Turn.release}. */
  release(): void {
    this.#current?.release()
  }
}

function pickValidators({ etag, lastModified }: FrontierRecord): Pick<FrontierRecord, 'etag' | 'lastModified'> {
  return { etag, lastModified }
}
