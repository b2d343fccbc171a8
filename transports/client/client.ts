import { invalidOption, optionsReader, shown } from '@asof/extract/errors'
import { readAnswer, withoutPassword } from './answer.ts'
import { ClientError } from './client-error.ts'
import { isTemporary, retry, type Wait, wait } from './retry.ts'
import type {
  AdditionQuery,
  AdditionResponse,
  CallName,
  CallUsage,
  CrawlAnswer,
  CrawlJobErrorsResponse,
  CrawlJobInput,
  CrawlJobPagesResponse,
  CrawlJobResponse,
  DeletionRequest,
  DeletionResponse,
  InputOf,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  RequestOf,
  ResponseOf,
  StartCrawlRequest,
  WireRelevance,
} from './wire.ts'

/**
 * How to call a server: its URL, and the caller's `key`, or else the `title` of the calling application. Administrators give the
 * `adminToken` besides, or alone if they only administer.
 */
export type ClientOptions = {
  /** URL of the server. It may have a path. */
  url: string
  /** Maximum number of tries of one call, including the first one. A call is tried again after 429, 503 and 529. Default 3. */
  maxTries?: number
  /** Time for one call including retries, milliseconds. Default 90,000. */
  timeoutMs?: number
  /** Default: the `fetch` of the runtime. */
  fetch?: typeof globalThis.fetch
  /** Waits before a retry. Default: `setTimeout`. */
  wait?: Wait
} & (
  | { key: string; title?: string; adminToken?: string }
  | { key?: undefined; title: string; adminToken?: string }
  | { key?: undefined; title?: undefined; adminToken: string }
)

/** The options of one call. */
export interface RequestOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  signal?: AbortSignal
  /** Called with the charge of a call with a key, before the call resolves. Not called if the server does not report it. */
  onUsage?: (usage: CallUsage) => void
  /**
   * Called with the receipt of a search, before the call resolves. The receipt says from which state of the index the answer
   * was made.
   */
  onReceipt?: (receipt: Receipt) => void
}

/** A request needs not be given if none of its fields is required. */
type Asked<N extends CallName> =
  object extends InputOf<N>
    ? [request?: InputOf<N>, options?: RequestOptions]
    : [request: InputOf<N>, options?: RequestOptions]

type ClientCalls = { readonly [N in CallName]: (...asked: Asked<N>) => Promise<ResponseOf<N>> }

/**
 * The API of a server: every call of the contract by its name, and administration. Requests and responses have the field names of the
 * wire.
 *
 * `fields`, `captures` and `suggest` need neither a key nor a title, `page` needs a title, and `feedback` needs a key. Pass `next` of the
 * response to `history` as `after` to continue.
 *
 * Every call may throw ClientError; the error has a `status` if the server answered. A call throws ASOF_INVALID_OPTION before
 * anything is sent if the request is not an object or an option is wrong. The server checks the fields of the request. In a
 * request that is sent in a query string, null means that a field is not given.
 */
export interface Client extends ClientCalls {
  /** Makes the call with this name. */
  call<N extends CallName>(
    name: N,
    request: InputOf<N> | RequestOf<N>,
    options?: RequestOptions,
  ): Promise<ResponseOf<N>>
  /**
   * Starts a crawl of a site for the organization of the key, as of now or of `query_time`. It runs in the background, and charges each page
   * that it reads. Needs a key.
   */
  startCrawlJob(request: CrawlJobInput, options?: RequestOptions): Promise<CrawlJobResponse>
  /**
   * Returns such a crawl with some of its pages.
   *
   * @param cursor - `next` of the response before. Default: the first pages. While the crawl is running, there is always a `next`.
   */
  crawlJob(id: string, cursor?: string, options?: RequestOptions): Promise<CrawlJobPagesResponse>
  /** Lists the pages that such a crawl could not read. */
  crawlJobErrors(id: string, cursor?: string, options?: RequestOptions): Promise<CrawlJobErrorsResponse>
  /** Cancels such a crawl. What it has read stays. */
  cancelCrawlJob(id: string, options?: RequestOptions): Promise<CrawlJobResponse>
  /** Lists the last 100 crawls of the organization, newest first. */
  crawlJobs(options?: RequestOptions): Promise<CrawlJobResponse[]>
  /**
   * Adds pages, removals and sightings: records as `asof import` reads them from JSON Lines, or its lines,
   * up to 64 MiB in one call. They are on disk
   * when this resolves. Records that are not valid are listed in the response, and the others are added. Needs the admin token.
   */
  addPages(
    records: Iterable<object | string>,
    query?: AdditionQuery,
    options?: RequestOptions,
  ): Promise<AdditionResponse>
  /**
   * Removes pages from now on, or from `at` on. Needs the admin token. While `finished` of the response is false, the same
   * request deletes the rest.
   */
  removePages(request: DeletionRequest, options?: RequestOptions): Promise<DeletionResponse>
  /** Deletes every version of pages from all of time, otherwise like `removePages`. */
  purgePages(request: DeletionRequest, options?: RequestOptions): Promise<DeletionResponse>
  /** Starts a crawl, which the server runs in the background, and returns its name. Needs the admin token. */
  startCrawl(request: StartCrawlRequest, options?: RequestOptions): Promise<{ name: string }>
  /** Stops a running crawl once its captures are stored. Needs the admin token. */
  stopCrawl(name: string, options?: RequestOptions): Promise<{ name: string }>
  /** Lists the last crawl of each name, newest first. Needs the admin token. */
  crawls(options?: RequestOptions): Promise<CrawlAnswer[]>
  /** Returns how searches rank pages, now or at `query_time`. Needs an admin token. */
  relevance(request?: RelevanceRequest, options?: RequestOptions): Promise<RelevanceResponse>
  /** Sets how searches rank pages from now on, as a whole. Needs an admin token. */
  setRelevance(relevance: WireRelevance, options?: RequestOptions): Promise<RelevanceResponse>
}

/** How a call is sent, and whether it has another route for callers without a key. */
interface CallRoute {
  method: 'GET' | 'POST'
  isPublicToo: boolean
  /** The request if none is given. Undefined if a field is required. */
  preset?: object
}

/** How each call is sent. The table of the service is not loaded here, because it has the schemas. */
export const callRoutes: Readonly<Record<CallName, CallRoute>> = {
  search: { method: 'POST', isPublicToo: true },
  passages: { method: 'POST', isPublicToo: true },
  map: { method: 'POST', isPublicToo: true },
  fetch: { method: 'GET', isPublicToo: true },
  verify: { method: 'POST', isPublicToo: true },
  extract: { method: 'POST', isPublicToo: true },
  history: { method: 'GET', isPublicToo: true },
  page: { method: 'GET', isPublicToo: false },
  feedback: { method: 'POST', isPublicToo: false },
  captures: { method: 'GET', isPublicToo: false, preset: {} },
  fields: { method: 'GET', isPublicToo: false, preset: {} },
  suggest: { method: 'GET', isPublicToo: false },
}

const readClientOptions = optionsReader<ClientOptions>(
  {
    url: 'string',
    key: 'string',
    title: 'string',
    adminToken: 'string',
    maxTries: 'number',
    timeoutMs: 'number',
    fetch: 'function',
    wait: 'function',
  },
  { required: ['url'], synonyms: { baseurl: 'url', apikey: 'key', token: 'key', timeout: 'timeoutMs' } },
)

const readRequestOptions = optionsReader<RequestOptions>({
  signal: 'signal',
  onUsage: 'function',
  onReceipt: 'function',
})

const DEFAULT_TRIES = 3
const FIRST_WAIT_MS = 1_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** A live fetch may take 30 s, and the server cancels a call after 60 s. */
const DEFAULT_TIMEOUT_MS = 90_000

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw invalidOption('url', `must be the http or https URL of a server, not ${shown(withoutPassword(text))}`)
  }
  if (url.username !== '' || url.password !== '')
    throw invalidOption('url', 'must not contain a user name or password: they would be in logs and messages')
  return url.href.replace(/\/+$/, '')
}

function queryOf(parameters: object): URLSearchParams {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
}

function jobPath(id: string): string {
  return `/v1/crawls/${encodeURIComponent(id)}`
}

/** @throws ASOF_INVALID_OPTION - the text can't be a header value. */
function assertHeaderText(name: string, text: string | undefined): void {
  if (text === undefined || /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return
  throw invalidOption(name, 'must be printable ASCII')
}

/**
 * Creates a client of the HTTP API of a server.
 *
 * @throws ASOF_INVALID_OPTION - `url` is not an http or https URL or has a password, `key`, `title` and `adminToken` are all missing, one of them
 *   is not printable ASCII, or an option is unknown, of the wrong type or out of range.
 */
export function createClient(given: ClientOptions): Client {
  const options = readClientOptions(given)
  const { key, title, adminToken, maxTries = DEFAULT_TRIES, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const fetch = options.fetch ?? globalThis.fetch
  const server = baseUrl(options.url)
  if (key === undefined && title === undefined && adminToken === undefined)
    throw invalidOption('title', 'is required without a key')
  if (!Number.isInteger(maxTries) || maxTries < 1) throw invalidOption('maxTries', 'must be a whole number from 1')
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS))
    throw invalidOption('timeoutMs', `must be a number of milliseconds above 0, up to ${LONGEST_TIMER_MS}`)
  assertHeaderText('key', key)
  assertHeaderText('title', title)
  assertHeaderText('adminToken', adminToken)
  const identity: Record<string, string> = {}
  if (key !== undefined) identity['X-API-Key'] = key
  if (title !== undefined) identity['X-Service-Title'] = title
  const waitFor = options.wait ?? wait

  async function once(url: string, init: RequestInit, { onUsage, onReceipt }: RequestOptions): Promise<unknown> {
    const response = await fetch(url, init)
    const answer = await readAnswer(response, server, Date.now())
    const usage = response.headers.get('x-asof-usage')
    if (usage !== null) onUsage?.(JSON.parse(usage) as CallUsage)
    const receipt = response.headers.get('x-asof-receipt')
    if (receipt !== null) onReceipt?.(JSON.parse(receipt) as Receipt)
    return answer
  }

  async function send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    request: object | undefined,
    options?: RequestOptions,
    { caller = identity, lines }: { caller?: Readonly<Record<string, string>>; lines?: string | undefined } = {},
  ): Promise<unknown> {
    if (typeof request !== 'object' || request === null)
      throw invalidOption('request', `must be an object, not ${shown(request)}`)
    const { signal: given, ...callbacks } = readRequestOptions(options)
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = given ? AbortSignal.any([given, timeout]) : timeout
    const hasBody = method === 'POST' || method === 'PUT'
    // A request with lines has its fields in the query string, as one without a body has.
    const hasFields = hasBody && lines === undefined
    const url = `${server}${path}${hasFields ? '' : `?${queryOf(request)}`}`
    const headers: Record<string, string> = { Accept: 'application/json', ...caller }
    if (hasFields) headers['Content-Type'] = 'application/json'
    if (lines !== undefined) headers['Content-Type'] = 'application/x-ndjson'
    // A redirect could send the key to another server.
    const init: RequestInit = { method, headers, redirect: 'manual', signal }
    if (hasBody) init.body = lines ?? JSON.stringify(request)
    try {
      return await retry(() => once(url, init, callbacks), {
        isRetryable: isTemporary,
        maxTries,
        firstWaitMs: FIRST_WAIT_MS,
        deadlineMs: performance.now() + timeoutMs,
        wait: waitFor,
        signal,
      })
    } catch (error) {
      if (error instanceof ClientError) throw error
      if (given?.aborted) throw given.reason
      if (timeout.aborted) {
        throw new ClientError('timed_out', `${server} did not answer within ${timeoutMs} ms.`, { cause: error })
      }
      throw new ClientError('connection_failed', `${server} can't be reached.`, { cause: error })
    }
  }

  /** @throws ASOF_INVALID_OPTION - there is no admin token. */
  async function administer(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    request: object,
    options?: RequestOptions,
    lines?: string,
  ): Promise<unknown> {
    if (adminToken === undefined) throw invalidOption('adminToken', 'is required for administration')
    return await send(method, path, request, options, { caller: { Authorization: `Bearer ${adminToken}` }, lines })
  }

  async function ask(name: CallName, given?: object, options?: RequestOptions): Promise<unknown> {
    const { method, isPublicToo, preset } = callRoutes[name]
    const request = given === undefined ? preset : given
    return await send(method, `/v1/${name}${isPublicToo && key === undefined ? '/public' : ''}`, request, options)
  }
  const names = Object.keys(callRoutes) as CallName[]
  const methods = names.map(name => [name, (request?: object, options?: RequestOptions) => ask(name, request, options)])
  return {
    // What a server answers is taken for what the contract says.
    ...(Object.fromEntries(methods) as ClientCalls),
    call: ask as Client['call'],
    startCrawlJob: (request, options) => send('POST', '/v1/crawls', request, options) as Promise<CrawlJobResponse>,
    crawlJob: (id, cursor, options) => send('GET', jobPath(id), { cursor }, options) as Promise<CrawlJobPagesResponse>,
    crawlJobErrors: (id, cursor, options) =>
      send('GET', `${jobPath(id)}/errors`, { cursor }, options) as Promise<CrawlJobErrorsResponse>,
    cancelCrawlJob: (id, options) => send('DELETE', jobPath(id), {}, options) as Promise<CrawlJobResponse>,
    crawlJobs: async options => {
      const listed = (await send('GET', '/v1/crawls', {}, options)) as { crawls: CrawlJobResponse[] }
      return listed.crawls
    },
    addPages: async (records, query = {}, options) => {
      const lines = Array.from(records, record => (typeof record === 'string' ? record : JSON.stringify(record))).join(
        '\n',
      )
      return (await administer('POST', '/admin/pages/add', query, options, lines)) as AdditionResponse
    },
    removePages: (request, options) =>
      administer('POST', '/admin/pages/remove', request, options) as Promise<DeletionResponse>,
    purgePages: (request, options) =>
      administer('POST', '/admin/pages/purge', request, options) as Promise<DeletionResponse>,
    startCrawl: (request, options) =>
      administer('POST', '/admin/crawls/start', request, options) as Promise<{ name: string }>,
    stopCrawl: (name, options) =>
      administer('POST', '/admin/crawls/stop', { name }, options) as Promise<{ name: string }>,
    crawls: async options => {
      const listed = (await administer('GET', '/admin/crawls/list', {}, options)) as { crawls: CrawlAnswer[] }
      return listed.crawls
    },
    relevance: (request = {}, options) =>
      administer('GET', '/admin/relevance', request, options) as Promise<RelevanceResponse>,
    setRelevance: (relevance, options) =>
      administer('PUT', '/admin/relevance', relevance, options) as Promise<RelevanceResponse>,
  }
}
