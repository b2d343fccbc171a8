import { ApiError, failureOf, withoutPlace } from './api-error.ts'
import type {
  CapturesResponse,
  FieldsResponse,
  HistoryResponse,
  PageResponse,
  Receipt,
  SearchRequest,
  SearchResponse,
  SuggestResponse,
  Verdict,
  VerifyResponse,
} from './wire.ts'

/** An answer to a search, with its receipt, and the time until it arrived, milliseconds. */
export interface SearchAnswer {
  response: SearchResponse
  receipt: Receipt | undefined
  roundTripMs: number
}

const headers = { 'X-Service-Title': 'asof console' }

/** @throws ApiError */
export async function call(path: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { ...init, headers: { ...headers, ...init.headers } })
  } catch (cause) {
    init.signal?.throwIfAborted()
    throw new ApiError('offline', 0, { cause })
  }
  if (!response.ok) throw await failureOf(response)
  return response
}

/** @throws ApiError */
async function read<Body>(
  path: string,
  query: Record<string, string | undefined>,
  signal?: AbortSignal,
): Promise<Body> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await call(`${path}?${new URLSearchParams(given)}`, { signal: signal ?? null })
  return bodyOf<Body>(response)
}

/** @throws ApiError - the body is no JSON, for example because a proxy answered. */
export async function bodyOf<Body>(response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body
  } catch (cause) {
    throw new ApiError('unexpected', response.status, { cause })
  }
}

/** Each function calls one route, and throws {@link ApiError}. */
export const api = {
  async search(request: SearchRequest): Promise<SearchAnswer> {
    const began = performance.now()
    const response = await call('/v1/search/public', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...request, explain: true }),
    })
    const receipt = response.headers.get('x-asof-receipt')
    return {
      response: await bodyOf<SearchResponse>(response),
      receipt: receipt === null ? undefined : (JSON.parse(receipt) as Receipt),
      roundTripMs: performance.now() - began,
    }
  },
  suggest: (text: string, queryTime: string | undefined, signal: AbortSignal) =>
    read<SuggestResponse>('/v1/suggest', { q: text.slice(0, 200), limit: '8', query_time: queryTime }, signal),
  captures: () => read<CapturesResponse>('/v1/captures', { max_bins: '240' }),
  async fields(queryTime: string | undefined) {
    const { fields } = await read<FieldsResponse>('/v1/fields', { max_examples: '20', query_time: queryTime })
    return fields
  },
  page: (url: string, queryTime: string | undefined) =>
    read<PageResponse>('/v1/page', { url, query_time: queryTime, max_chars: '400000' }),
  history: (url: string) => read<HistoryResponse>('/v1/history/public', { url, limit: '1000' }),
  async verify(quote: { url: string; quote: string; query_time: string | undefined }): Promise<Verdict> {
    const response = await call('/v1/verify/public', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ quotes: [quote] }),
    }).catch((failure: unknown) => {
      throw failure instanceof ApiError ? withoutPlace(failure, 'quotes[0].') : failure
    })
    const [verdict] = (await bodyOf<VerifyResponse>(response)).verdicts
    if (!verdict) throw new ApiError('unexpected', response.status)
    return verdict
  },
  documents: () => read<{ documents: { name: string; title: string }[] }>('/docs/index.json', {}),
  async document(name: string): Promise<string> {
    return await (await call(`/docs/${name}.md`, {})).text()
  },
}
