import { invalidOption } from '@asof/extract/errors'
import { z } from 'zod'
import {
  type Answered,
  type CallContext,
  type CallService,
  type ChargedName,
  calls,
  chargedCalls,
  type RequestOf,
  type ResponseOf,
  ServiceError,
} from '../../service/index.ts'
import { type Client, ClientError, createClient, type Receipt } from '../client/index.ts'
import { retry, wait } from '../client/retry.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { callerError, isRetryable, UpstreamFailure } from './upstream-failure.ts'

/** The server that answers searches and fetches, and how it is called. */
export interface UpstreamSettings {
  /** Base URL: https, or http on loopback. */
  url: string
  /** API key of an organization of that server. */
  key: string
  /** Time for one call with its retries, milliseconds. Default 50,000, less than the 60 s that a server has for an answer. */
  timeoutMs?: number
  /** Called for every failure that is not the caller's. */
  onFailure?: (failure: UpstreamFailure) => void
}

const DEFAULT_TIMEOUT_MS = 50_000
const MAX_TRIES = 3
const neverAborts = new AbortController().signal
const FIRST_WAIT_MS = 200
/** Maximum wait before a retry. If the server asks for a longer one, the caller gets the refusal with `Retry-After`. */
const LONGEST_WAIT_MS = 5_000
const MAX_DELTA = 999_999

const receiptSchema = z.looseObject({
  instant: z.number(),
  captures: z.number(),
  segments: z.number(),
  format: z.number(),
  analyzer: z.number(),
  ranking: z.number(),
  profile: z.string(),
  declared: z.number(),
  purged: z.number(),
  dropped: z.number(),
})
const RECEIPT_HEADER = 'X-Asof-Receipt'
const readerSchema = z.enum(['llm', 'extractive'])
const usageSchema = z.looseObject({ sku: z.string() })
/** For queries that are URLs: where the page came from, by the SKU that was charged. */
const fetchedBySku: Readonly<Record<string, Answered<unknown>['fetched']>> = { fetch: 'indexed', 'fetch.live': 'live' }

/** @throws ASOF_INVALID_OPTION - the key would be sent in clear text, or the URL contains credentials. */
function checkAddress(text: string): void {
  if (!URL.canParse(text)) throw invalidOption('url', 'must be an http or https URL')
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') throw invalidOption('url', 'must not contain credentials')
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
  if (protocol === 'http:' && !isLoopback)
    throw invalidOption(
      'url',
      'must be https, unless the server is on loopback: the API key would be sent in clear text',
    )
}

/** Writes weeks in a filter as days, because the filters of keyed routes accept no weeks. */
function inDays(filter: string | undefined): string | undefined {
  const weeks = /^(\d{1,6})w$/.exec(filter ?? '')?.[1]
  return weeks === undefined ? filter : `${Math.min(Number(weeks) * 7, MAX_DELTA)}d`
}

/** Returns a request with time filters as the other server must get it. */
function withoutWeeks<R extends RequestOf<'search'> | RequestOf<'passages'>>(request: R): R {
  return {
    ...request,
    acquired_after: inDays(request.acquired_after),
    acquired_before: inDays(request.acquired_before),
    published_after: inDays(request.published_after),
    published_before: inDays(request.published_before),
  }
}

/** Returns a search as the other server must get it. */
function toKeyedSearch(request: RequestOf<'search'>): RequestOf<'search'> {
  // This field is always sent, because without it the default of the key's organization would apply.
  return { ...withoutWeeks(request), enable_wizards: request.enable_wizards ?? false }
}

type Adapted = { readonly [N in ChargedName]?: (request: RequestOf<N>) => RequestOf<N> }

/** Requests that are sent in another form. */
const sent: Adapted = { search: toKeyedSearch, passages: withoutWeeks }
/** Requests of which this process can't check all: the other server wrote the cursor, as of its own clock and settings. */
const checkedHere: Adapted = { search: request => ({ ...request, cursor: undefined }) }

/** Returns the JSON of a header, or `undefined` if the header is missing or malformed. */
function jsonHeader(headers: Headers, name: string): unknown {
  try {
    return JSON.parse(headers.get(name) ?? '') as unknown
  } catch {
    return undefined
  }
}

/** @throws ClientError - the value does not match the schema. */
function expectShape<T>(schema: z.ZodType, value: unknown, what: string): T {
  if (schema.safeParse(value).success) return value as T
  throw new ClientError('not_an_answer', `The ${what} of the upstream server is not that of the contract.`, {
    status: 200,
  })
}

/** Returns the answer of the other server. @throws ClientError - it does not match the contract. */
function answerOf<N extends ChargedName>(name: N, sentBody: unknown, headers: Headers): Answered<ResponseOf<N>> {
  const { response, described } = calls[name]
  const body = expectShape<ResponseOf<N>>(response, sentBody, `answer to the ${chargedCalls[name].charged.noun}`)
  const receipt =
    described.header?.[0] === RECEIPT_HEADER
      ? expectShape<Receipt>(receiptSchema, jsonHeader(headers, RECEIPT_HEADER), 'receipt')
      : undefined
  const usage = usageSchema.safeParse(jsonHeader(headers, 'X-Asof-Usage'))
  const reader = readerSchema.safeParse(headers.get('X-Asof-Reader'))
  return {
    body,
    receipt,
    reader: reader.data,
    fetched: usage.success ? fetchedBySku[usage.data.sku] : undefined,
  }
}

/**
 * Creates the calls of a storefront that another server answers, through its keyed routes. Nothing is answered
 * from the index of this process. A call is repeated only if nothing can have been charged for it: no connection was made, or
 * the server answered 429, 503 or 529.
 *
 * @param checks - checks requests before they are sent. It needs only a clock and settings, so that it holds for the index of another
 *   server too.
 * @throws ASOF_INVALID_OPTION - `url` is not https (or http on loopback), or the key can't be a header.
 */
export function upstreamService(
  checks: Pick<CallService, 'check'>,
  settings: UpstreamSettings,
): CallService<ChargedName> {
  const { url, key, timeoutMs = DEFAULT_TIMEOUT_MS, onFailure } = settings
  checkAddress(url)
  const clientFor = (fetch: typeof globalThis.fetch, ms: number): Client =>
    createClient({ url, key, fetch, timeoutMs: ms, maxTries: 1 })
  // A bad key is rejected when the service starts.
  clientFor(globalThis.fetch, timeoutMs)

  function check<N extends ChargedName>(name: N, request: RequestOf<N>, context?: CallContext): Promise<void> {
    return checks.check(name, checkedHere[name]?.(request) ?? request, context)
  }
  async function answer<N extends ChargedName>(
    name: N,
    request: RequestOf<N>,
    context: CallContext = {},
  ): Promise<Answered<ResponseOf<N>>> {
    await check(name, request, context)
    const signal = context.signal ?? neverAborts
    const deadlineMs = performance.now() + timeoutMs
    const tryOnce = async () => {
      const bounded = boundedFetch(key)
      const client = clientFor(bounded.fetch, Math.max(1, Math.ceil(deadlineMs - performance.now())))
      const body = await client.call(name, sent[name]?.(request) ?? request, { signal })
      return answerOf(name, body, bounded.headers())
    }
    try {
      return await retry(tryOnce, {
        isRetryable,
        maxTries: MAX_TRIES,
        firstWaitMs: FIRST_WAIT_MS,
        longestWaitMs: LONGEST_WAIT_MS,
        deadlineMs,
        wait,
        signal,
      })
    } catch (failure) {
      signal.throwIfAborted()
      const error = callerError(failure, chargedCalls[name].charged)
      if (error instanceof ServiceError && error.cause instanceof UpstreamFailure) onFailure?.(error.cause)
      throw error
    }
  }
  return { check, answer }
}
