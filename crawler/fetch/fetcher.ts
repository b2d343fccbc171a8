import { isUtf8 } from 'node:buffer'
import { AsofError } from '@asof/core'
import { type OptionKinds, optionsIn, optionsReader, said } from '@asof/extract/errors'
import { Agent, type Dispatcher, request } from 'undici'
import { CrawlError } from '../errors.ts'
import { readResponseBody } from './body.ts'
import { Deadline } from './deadline.ts'
import { badRedirect, fetchFailure, fetchTimeout, parseRetryAfter, unsupportedType } from './fetch-failure.ts'
import { expectAllowedUrl, type GuardOptions, guardLookup, guardOptionKinds, refusedRedirect } from './guard.ts'
import { isReadableType } from './readable-type.ts'

const DEFAULT_MAX_BYTES = 20 * 1024 * 1024

/** Options of a {@link Fetcher}; times in milliseconds. */
export interface FetcherOptions extends GuardOptions {
  /** The complete `User-Agent` header. Default `asof/0.1`. */
  userAgent?: string
  /** The `Accept-Language` header. Default: none. */
  language?: string
  /** Returns more headers for a request to a URL. */
  headersFor?: (url: URL) => Readonly<Record<string, string>>
  /** Certificate authorities (PEM) to trust instead of the public ones, for closed networks. */
  ca?: string
  /**
   * Time limit from the first DNS lookup to the last byte. Includes redirects, but not the time in `onRedirect`.
   * Default 30,000.
   */
  totalTimeoutMs?: number
  /** Time limit for DNS, TCP and TLS of one connection. Default 10,000. */
  connectTimeoutMs?: number
  /** Time limit from the end of a request to the headers of its response. Default 15,000. */
  headersTimeoutMs?: number
  /** Maximum pause within a body, without new data. Default 10,000. */
  idleTimeoutMs?: number
  /** Maximum size of a body as received and, separately, as decoded, bytes. Default 20 MiB. */
  maxBytes?: number
  /** Maximum number of redirects. Default 10. */
  maxRedirects?: number
  /** The clock, epoch ms. It is compared with dates in `Retry-After`. Default `Date.now`. */
  now?: () => number
}

/** Options of one request. */
export interface PageFetchOptions {
  /** Ends the request. The promise then rejects with the reason of the signal. */
  signal?: AbortSignal
  /**
   * Returns the validators of the stored copy of a URL; undefined if there is none. With validators the server may
   * answer 304 without a body.
   */
  validators?: (url: string) => { etag?: string; lastModified?: string } | undefined
  /** Called with the target of each redirect before it is followed. If it throws, the fetch ends with that error. */
  onRedirect?: (url: string) => void | Promise<void>
  /** Returns false to reject a response by its `Content-Type`, before the body is read. Default: every type is accepted. */
  accepts?: (contentType: string | undefined) => boolean
  /**
   * Returns false to reject a response by its first bytes, before the rest is read. Gets at least 1,445 bytes, unless
   * the body is shorter. Default: every body is accepted.
   */
  acceptsHead?: (head: Uint8Array, contentType: string | undefined) => boolean
  /** Maximum size of the body, bytes. Default: the fetcher's. */
  maxBytes?: number
  /** Maximum number of redirects. Default: the fetcher's. */
  maxRedirects?: number
  /** The `Origin` header. Default: none. */
  origin?: string
  /** True to leave out the headers of `headersFor`. Default false. */
  anonymous?: boolean
  /** True to cut a longer body to its first `maxBytes`, instead of failing. Default false. */
  truncate?: boolean
}

export const fetcherOptionKinds: OptionKinds<FetcherOptions> = {
  ...guardOptionKinds,
  userAgent: 'string',
  language: 'string',
  headersFor: 'function',
  ca: 'string',
  totalTimeoutMs: 'number',
  connectTimeoutMs: 'number',
  headersTimeoutMs: 'number',
  idleTimeoutMs: 'number',
  maxBytes: 'number',
  maxRedirects: 'number',
  now: 'function',
}

const requestKinds: OptionKinds<PageFetchOptions> = {
  signal: 'signal',
  validators: 'function',
  onRedirect: 'function',
  accepts: 'function',
  acceptsHead: 'function',
  maxBytes: 'number',
  maxRedirects: 'number',
  origin: 'string',
  anonymous: 'boolean',
  truncate: 'boolean',
}

const readFetcherOptions = optionsReader<FetcherOptions>(fetcherOptionKinds)
const readRequest = optionsReader<PageFetchOptions>(requestKinds)
const readPageOptions = optionsReader<FetcherOptions & PageFetchOptions>({ ...fetcherOptionKinds, ...requestKinds })

/** A response with a 2xx status, or a 304. */
export interface FetchedPage {
  /** The URL that answered after all redirects, without fragment. */
  url: string
  /** The URL that was asked for. */
  requestedUrl: string
  /** The URLs that redirected, beginning with the requested one. Empty without redirects. */
  redirects: string[]
  /** The HTTP status: 200 to 299, or 304. */
  status: number
  /** Headers by lower-case name. The values of a repeated header are joined with `, `. */
  headers: Record<string, string>
  /** The decoded body. Empty for a 304. */
  body: Uint8Array
  /** The header `Content-Type`. */
  contentType: string | undefined
  /** The header `ETag`. */
  etag: string | undefined
  /** The header `Last-Modified`. */
  lastModified: string | undefined
}

/**
 * Maximum number of idle connections. Each has a file descriptor, of which many systems allow 256 per process, and the
 * index needs some too.
 */
const KEPT_CONNECTIONS = 64

/** The redirects of one fetch so far. */
interface Trail {
  requestedUrl: string
  /** The URLs that redirected. */
  redirects: string[]
  /** The target of the last redirect. */
  target?: string
}

type OnRedirect<Stop> = (url: string) => Promise<Stop | undefined>

/**
 * Fetches pages over HTTP/2 or, if the server does not offer it, over HTTP/1.1 with keep-alive. The address guard
 * checks each request and redirect. Each phase has a time limit. A response takes at most `maxBytes` as received plus
 * `maxBytes` as decoded. At most 64 idle connections are kept. Sends no cookies.
 */
export class Fetcher {
  readonly #options: FetcherOptions
  readonly #agent: Agent
  /** The agent's open connections. */
  readonly #connected = new Set<unknown>()

  /** @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type. */
  constructor(given?: FetcherOptions) {
    const options = readFetcherOptions(given)
    this.#options = options
    this.#agent = new Agent({
      allowH2: true,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      bodyTimeout: options.idleTimeoutMs ?? 10_000,
      maxHeaderSize: 64 * 1024,
      connect: {
        lookup: guardLookup(options),
        timeout: options.connectTimeoutMs ?? 10_000,
        ca: options.ca,
      },
    })
    this.#agent.on('connect', (_, targets) => this.#connected.add(targets.at(-1)))
    this.#agent.on('disconnect', (_, targets) => this.#connected.delete(targets.at(-1)))
  }

  /**
   * Fetches one URL, following redirects.
   *
   * @throws ASOF_ADDRESS_REFUSED - the guard rejects the scheme, port, credentials or address of the URL or of a redirect.
   * @throws ASOF_INVALID_URL - the text is not a URL.
   * @throws ASOF_FETCH_STATUS - the final status is neither 2xx nor 304; see `details.status` and `details.retryAfterMs`.
   * @throws ASOF_FETCH_UNREACHABLE - DNS, TLS, the connection or the protocol failed; `details.reason` is `descriptors`, `dns`,
   *   `refused`, `closed`, `network`, `certificate`, `tls`, `protocol`, `connection` or `decoding`.
   * @throws ASOF_FETCH_REDIRECTS - there are too many redirects, they lead in a circle, or a Location is not a URL.
   * @throws ASOF_FETCH_TIMEOUT | ASOF_FETCH_TOO_LARGE
   * @throws ASOF_UNSUPPORTED_TYPE - `accepts` or `acceptsHead` returned false, or the content encoding is not supported.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   *
   * Messages name the requested URL alone. What the site said, such as a content type or the target of a redirect, is in
   * `details.said`.
   */
  async fetch(requestedUrl: string, given?: PageFetchOptions): Promise<FetchedPage> {
    const { onRedirect, ...ask } = readRequest(given)
    const follow = async (url: string) => {
      await onRedirect?.(url)
      return undefined
    }
    return await this.#fetch<never>(requestedUrl, ask, onRedirect && follow)
  }

  /**
   * Fetches one URL like {@link fetch}, but can be stopped at a redirect.
   *
   * @param onRedirect - called with the target of each redirect before it is followed. If it returns an object, the
   *   fetch ends and returns that object.
   * @throws as {@link fetch} does.
   */
  async fetchUnless<Stop extends object>(
    requestedUrl: string,
    onRedirect: (url: string) => Promise<Stop | undefined>,
    given?: Omit<PageFetchOptions, 'onRedirect'>,
  ): Promise<FetchedPage | Stop> {
    return await this.#fetch(requestedUrl, readRequest(given), onRedirect)
  }

  /** Closes all connections, even busy ones. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #fetch<Stop extends object>(
    requestedUrl: string,
    ask: PageFetchOptions,
    onRedirect: OnRedirect<Stop> | undefined,
  ): Promise<FetchedPage | Stop> {
    const totalMs = this.#options.totalTimeoutMs ?? 30_000
    const deadline = new Deadline(totalMs)
    const trail: Trail = { requestedUrl, redirects: [] }
    try {
      return await this.#follow(trail, ask, onRedirect, deadline)
    } catch (error) {
      if (ask.signal?.aborted) throw ask.signal.reason
      if (deadline.signal.aborted)
        throw fetchTimeout(requestedUrl, `no complete answer within ${totalMs / 1000} s`, error)
      const failure = fetchFailure(error, requestedUrl)
      throw trail.target === undefined ? failure : refusedRedirect(failure, requestedUrl, trail.target)
    } finally {
      deadline.stop()
    }
  }

  async #follow<Stop extends object>(
    trail: Trail,
    ask: PageFetchOptions,
    onRedirect: OnRedirect<Stop> | undefined,
    deadline: Deadline,
  ): Promise<FetchedPage | Stop> {
    const signal = ask.signal ? AbortSignal.any([ask.signal, deadline.signal]) : deadline.signal
    const maxRedirects = ask.maxRedirects ?? this.#options.maxRedirects ?? 10
    const { requestedUrl, redirects } = trail
    let url = parseUrl(requestedUrl)
    for (;;) {
      expectAllowedUrl(url, this.#options)
      const response = await this.#request(url, ask, signal)
      const location = redirectTarget(response)
      if (location === undefined) return await this.#read(response, url, trail, ask)
      this.#discard(response)
      if (redirects.length >= maxRedirects) {
        throw new CrawlError('ASOF_FETCH_REDIRECTS', `${requestedUrl}: more than ${maxRedirects} redirects`)
      }
      redirects.push(url.href)
      const next = targetOf(location, url, requestedUrl)
      trail.target = next.href
      if (redirects.includes(next.href)) throw badRedirect(requestedUrl, 'redirects in a circle', next.href)
      expectAllowedUrl(next, this.#options)
      if (onRedirect) {
        // The deadline is stopped, because a crawl may have to wait here until it may request the next host.
        deadline.stop()
        const stop = await onRedirect(next.href)
        if (stop) return stop
        deadline.start()
      }
      url = next
    }
  }

  #request(url: URL, ask: PageFetchOptions, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const held = ask.validators?.(url.href)
    const { language, headersFor } = this.#options
    const siteHeaders = ask.anonymous ? undefined : headersFor?.(url)
    const headers: Record<string, string | undefined> = {
      'accept-language': language,
      ...siteHeaders,
      'user-agent': this.#options.userAgent ?? 'asof/0.1',
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.9,*/*;q=0.5',
      'accept-encoding': 'gzip, br, zstd, deflate',
    }
    if (ask.origin !== undefined) headers.origin = ask.origin
    if (held?.etag !== undefined) headers['if-none-match'] = held.etag
    if (held?.lastModified !== undefined) headers['if-modified-since'] = held.lastModified
    // HTTP/1.1 is used because an HTTP/2 connection cannot be closed after one request.
    const once = this.#isCrowded ? { reset: true, allowH2: false } : {}
    return request(url, { method: 'GET', headers, dispatcher: this.#agent, signal, ...once })
  }

  get #isCrowded(): boolean {
    return this.#connected.size >= KEPT_CONNECTIONS
  }

  /** Discards the body of a response. To keep the connection, reads the rest of the body. */
  #discard(response: Dispatcher.ResponseData): void {
    if (this.#isCrowded) drop(response)
    else discard(response)
  }

  async #read(
    response: Dispatcher.ResponseData,
    { href: url }: URL,
    { requestedUrl, redirects, target }: Trail,
    ask: PageFetchOptions,
  ): Promise<FetchedPage> {
    const status = response.statusCode
    const headers = flatten(response.headers)
    const contentType = headers['content-type']
    const page = {
      url,
      requestedUrl,
      redirects,
      status,
      headers,
      contentType,
      etag: headers.etag,
      lastModified: headers['last-modified'],
    }
    if (status === 304) {
      this.#discard(response)
      return { ...page, body: new Uint8Array() }
    }
    if (status < 200 || status > 299) {
      this.#discard(response)
      const retryAfterMs = parseRetryAfter(headers['retry-after'], (this.#options.now ?? Date.now)())
      throw new CrawlError('ASOF_FETCH_STATUS', `${requestedUrl}: status ${status}`, {
        details: { status, url, retryAfterMs, said: target === undefined ? undefined : said('Location', target) },
      })
    }
    if (ask.accepts && !ask.accepts(contentType)) {
      drop(response)
      throw unsupportedType(requestedUrl, contentType)
    }
    const maxBytes = ask.maxBytes ?? this.#options.maxBytes ?? DEFAULT_MAX_BYTES
    if (!ask.truncate && Number(headers['content-length']) > maxBytes) {
      drop(response)
      throw new CrawlError(
        'ASOF_FETCH_TOO_LARGE',
        `${requestedUrl}: the body has ${Number(headers['content-length'])} bytes, more than the limit of ${maxBytes}`,
      )
    }
    const { acceptsHead } = ask
    const onHead = (head: Uint8Array) => {
      if (acceptsHead && !acceptsHead(head, contentType)) throw unsupportedType(requestedUrl, contentType)
    }
    const isText = contentType === undefined || isReadableType(contentType)
    const limits = { maxBytes, truncate: ask.truncate ?? false, isText, onHead: acceptsHead && onHead }
    return { ...page, body: await readResponseBody(response.body, headers['content-encoding'], limits) }
  }
}

/**
 * Fetches one page, following redirects, with connections of its own. Resolves also for status 304. Messages of errors name the requested
 * URL alone; what the site said is in `details.said`.
 *
 * @throws ASOF_ADDRESS_REFUSED - the scheme, port, credentials or address of the URL or of a redirect is not allowed.
 * @throws ASOF_INVALID_URL - the text is not a URL.
 * @throws ASOF_FETCH_STATUS - the final status is neither 2xx nor 304; see `details.status` and `details.retryAfterMs`.
 * @throws ASOF_FETCH_UNREACHABLE - DNS, TLS, the connection or the protocol failed; `details.reason` says which.
 * @throws ASOF_FETCH_REDIRECTS | ASOF_FETCH_TIMEOUT | ASOF_FETCH_TOO_LARGE | ASOF_UNSUPPORTED_TYPE
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 */
export async function fetchPage(url: string, given?: FetcherOptions & PageFetchOptions): Promise<FetchedPage> {
  const options = readPageOptions(given)
  const fetcher = new Fetcher(optionsIn(options, fetcherOptionKinds))
  try {
    return await fetcher.fetch(url, optionsIn(options, requestKinds))
  } finally {
    await fetcher.close()
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url) throw new AsofError('ASOF_INVALID_URL', `not a URL: ${String(text).slice(0, 200)}`)
  url.hash = ''
  return url
}

/** Returns the URL to which an answer redirects. */
function targetOf(location: string, base: URL, requestedUrl: string): URL {
  const url = URL.parse(location, base.href)
  if (!url) throw badRedirect(requestedUrl, 'redirects to an address that is not a URL', location)
  url.hash = ''
  return url
}

function redirectTarget(response: Dispatcher.ResponseData): string | undefined {
  if (![301, 302, 303, 307, 308].includes(response.statusCode)) return undefined
  const { location } = response.headers
  const first = Array.isArray(location) ? location[0] : location
  // Node gives each byte of a header as one character. Bytes above ASCII are usually UTF-8.
  const bytes = Buffer.from(first ?? '', 'latin1')
  return isUtf8(bytes) ? first && bytes.toString('utf8') : first
}

/** Maximum number of bytes of a discarded body that are read to keep its connection. */
const DISCARDED_BYTES = 64 * 1024
/** Maximum time for reading a discarded body, ms. */
const DISCARD_MS = 2000

/**
 * Reads the rest of a discarded body, so that its connection can be reused. Closes the connection instead if the body
 * is long or slow.
 */
function discard(response: Dispatcher.ResponseData): void {
  response.body.dump({ limit: DISCARDED_BYTES, signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {
    // A failure of the body does not matter, because only the headers were needed.
    response.body.destroy()
  })
}

/** Drops a response and closes its connection. */
function drop(response: Dispatcher.ResponseData): void {
  response.body.on('error', () => {
    // The error comes from destroy() below.
  })
  response.body.destroy()
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) out[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return out
}
