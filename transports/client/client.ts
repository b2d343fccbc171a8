import { invalidOption, optionsReader, shown } from '@asof/extract/errors'
import { readAnswer, withoutPassword } from './answer.ts'
import { ClientError } from './client-error.ts'
import { isTemporary, retry, type Wait, wait } from './retry.ts'
import type {
  AdditionQuery,
  AdditionResponse,
  CallUsage,
  DeletionRequest,
  DeletionResponse,
  FeedbackRequest,
  FeedbackResponse,
  FetchRequest,
  FetchResponse,
  FieldsRequest,
  FieldsResponse,
  HistoryRequest,
  HistoryResponse,
  Receipt,
  RelevanceRequest,
  RelevanceResponse,
  SearchRequest,
  SearchResponse,
  VerifyRequest,
  VerifyResponse,
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

/**
 * The API of a server. Requests and responses have the field names of the wire.
 *
 * Every call may throw ClientError; the error has a `status` if the server answered. A call throws ASOF_INVALID_OPTION before
 * anything is sent if the request is not an object or an option is wrong. The server checks the fields of the request. In a
 * fetch or history request, null means that a field is not given.
 */
export interface Client {
  search(request: SearchRequest, options?: RequestOptions): Promise<SearchResponse>
  fetch(request: FetchRequest, options?: RequestOptions): Promise<FetchResponse>
  /** Lists the versions of one page, oldest first. Pass `next` of the response as `after` to continue. */
  history(request: HistoryRequest, options?: RequestOptions): Promise<HistoryResponse>
  /** Lists the fields of pages, with their types and examples of their values. */
  fields(request?: FieldsRequest, options?: RequestOptions): Promise<FieldsResponse>
  /** Judges up to 100 quotes of pages. */
  verify(request: VerifyRequest, options?: RequestOptions): Promise<VerifyResponse>
  /** Sends judgments of pages. Needs a key. */
  feedback(request: FeedbackRequest, options?: RequestOptions): Promise<FeedbackResponse>
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
  /** Returns how searches rank pages, now or at `query_time`. Needs an admin token. */
  relevance(request?: RelevanceRequest, options?: RequestOptions): Promise<RelevanceResponse>
  /** Sets how searches rank pages from now on, as a whole. Needs an admin token. */
  setRelevance(relevance: WireRelevance, options?: RequestOptions): Promise<RelevanceResponse>
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
  const send = options.fetch ?? globalThis.fetch
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
  const route = key === undefined ? '/public' : ''

  async function once(url: string, init: RequestInit, { onUsage, onReceipt }: RequestOptions): Promise<unknown> {
    const response = await send(url, init)
    const answer = await readAnswer(response, server, Date.now())
    const usage = response.headers.get('x-asof-usage')
    if (usage !== null) onUsage?.(JSON.parse(usage) as CallUsage)
    const receipt = response.headers.get('x-asof-receipt')
    if (receipt !== null) onReceipt?.(JSON.parse(receipt) as Receipt)
    return answer
  }

  async function call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    request: object,
    options?: RequestOptions,
    { caller = identity, lines }: { caller?: Readonly<Record<string, string>>; lines?: string | undefined } = {},
  ): Promise<unknown> {
    if (typeof request !== 'object' || request === null)
      throw invalidOption('request', `must be an object, not ${shown(request)}`)
    const { signal: given, ...callbacks } = readRequestOptions(options)
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = given ? AbortSignal.any([given, timeout]) : timeout
    // A request with lines has its fields in the query string, as one without a body has.
    const hasFields = method !== 'GET' && lines === undefined
    const url = `${server}${path}${hasFields ? '' : `?${queryOf(request)}`}`
    const headers: Record<string, string> = { Accept: 'application/json', ...caller }
    if (hasFields) headers['Content-Type'] = 'application/json'
    if (lines !== undefined) headers['Content-Type'] = 'application/x-ndjson'
    // A redirect could send the key to another server.
    const init: RequestInit = { method, headers, redirect: 'manual', signal }
    if (method !== 'GET') init.body = lines ?? JSON.stringify(request)
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
    return await call(method, path, request, options, { caller: { Authorization: `Bearer ${adminToken}` }, lines })
  }

  return {
    search: (request, options) => call('POST', `/v1/search${route}`, request, options) as Promise<SearchResponse>,
    fetch: (request, options) => call('GET', `/v1/fetch${route}`, request, options) as Promise<FetchResponse>,
    history: (request, options) => call('GET', `/v1/history${route}`, request, options) as Promise<HistoryResponse>,
    fields: (request = {}, options) => call('GET', '/v1/fields', request, options) as Promise<FieldsResponse>,
    verify: (request, options) => call('POST', `/v1/verify${route}`, request, options) as Promise<VerifyResponse>,
    feedback: (request, options) => call('POST', '/v1/feedback', request, options) as Promise<FeedbackResponse>,
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
    relevance: (request = {}, options) =>
      administer('GET', '/admin/relevance', request, options) as Promise<RelevanceResponse>,
    setRelevance: (relevance, options) =>
      administer('PUT', '/admin/relevance', relevance, options) as Promise<RelevanceResponse>,
  }
}
