import { dialectRequest } from './sealed-dialects.ts'
import {
  anyInstant,
  anyQuery,
  anyTime,
  anyUrl,
  extractFields,
  type Fields,
  fetchFields,
  type Given,
  historyFields,
  iso,
  mapFields,
  passagesFields,
  searchFields,
  some,
  verifyFields,
} from './sealed-fields.ts'
import { get, post, type SealedRequest } from './sealed-http.ts'
import { LAST_AT, LATER_WORD, pick, type Random, urlOf, words } from './sealed-world.ts'

const stamp = (at: number) => iso(at).replace(/\D/g, '')

function mementoPath(random: Random): string {
  const at = anyInstant(random)
  const url = anyUrl(random)
  return pick(
    [
      `/timegate/${url}`,
      `/timegate/${url}`,
      `/timemap/link/${url}`,
      `/timemap/${url}`,
      `/timemap/link/${stamp(at)}/${url}`,
      `/memento/${stamp(at)}/${url}`,
      `/memento/${stamp(at).slice(0, 14)}/${url}`,
      `/memento/${stamp(LAST_AT)}/${url}`,
      `/memento/x/${url}`,
    ],
    random,
  )
}

/** Returns a message of the Model Context Protocol, revision 2025-06-18. */
function mcp(method: string, params: Fields, headers: Record<string, string>): SealedRequest {
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  return post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { ...accept, ...headers })
}

function mcpRequest(random: Random, given: Given, headers: Record<string, string>): SealedRequest {
  const call = (name: string, args: Fields) => mcp('tools/call', { name, arguments: args }, headers)
  switch (random(9)) {
    case 0:
      return mcp('tools/list', {}, headers)
    case 1:
      return mcp(
        'initialize',
        { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
        headers,
      )
    case 2:
      return call('verify_quotes', verifyFields(random))
    case 5:
      return call('find_passages', passagesFields(random))
    case 3:
    case 4:
      return call('fetch_page_content', fetchFields(random))
    default:
      return call('search_web_pages', searchFields(random, given, ['pro', 'realtime']))
  }
}

/** Names an instant in the path of a request, or behind its key, with a chance. */
function perhapsAt(random: Random, request: SealedRequest): SealedRequest {
  const time = String(anyTime(random))
  switch (random(8)) {
    case 0:
      return { ...request, path: `/at/${encodeURIComponent(time)}${request.path}` }
    case 1: {
      const { 'x-api-key': key = '' } = request.headers
      return { ...request, headers: { ...request.headers, 'x-api-key': `${key}@${time}` } }
    }
    default:
      return request
  }
}

const keyless = ['pro', 'realtime', 'realtime', 'webql']
const keyed = ['pro', 'realtime', 'realtime_content', 'webql', 'webql']

/** Makes a request of one of the routes of callers with a key. */
export function keyedRequest(random: Random, given: Given, headers: Record<string, string>): SealedRequest {
  const isDialect = random(4) === 0
  return perhapsAt(random, isDialect ? dialectRequest(random, headers) : plainKeyedRequest(random, given, headers))
}

function plainKeyedRequest(random: Random, given: Given, headers: Record<string, string>): SealedRequest {
  switch (random(14)) {
    case 0:
    case 1:
      return get('/v1/fetch', fetchFields(random), headers)
    case 2:
    case 3:
      return get('/v1/history', historyFields(random, given), headers)
    case 4:
      if (random(2) === 0) return post('/v1/extract', extractFields(random), headers)
      return post('/v1/verify', verifyFields(random), headers)
    case 5:
      return post('/v1/feedback', { query: anyQuery(random), feedback: { [urlOf(random)]: random(6) } }, headers)
    case 6:
    case 7:
      return mcpRequest(random, given, headers)
    case 12:
      return post('/v1/passages', passagesFields(random), headers)
    case 13:
      return post('/v1/map', mapFields(random), headers)
    case 8:
      return get('/v1/search', searchFields(random, given, keyed), headers)
    default:
      return post('/v1/search', searchFields(random, given, keyed), headers)
  }
}

/** Makes a request of one of the routes that everybody may call. */
export function openRequest(random: Random, given: Given): SealedRequest {
  return perhapsAt(random, random(4) === 0 ? dialectRequest(random, {}) : plainOpenRequest(random, given))
}

function plainOpenRequest(random: Random, given: Given): SealedRequest {
  switch (random(23)) {
    case 0:
    case 1:
      return get('/v1/fetch/public', fetchFields(random))
    case 2:
    case 3:
      return get('/v1/history/public', historyFields(random, given))
    case 4:
      if (random(2) === 0) return post('/v1/extract/public', extractFields(random))
      return post('/v1/verify/public', verifyFields(random))
    case 20:
    case 21:
      return post('/v1/passages/public', passagesFields(random))
    case 22:
      return get('/v1/map/public', mapFields(random))
    case 5:
      return get('/v1/page', {
        url: anyUrl(random),
        ...some(random, 2, { query_time: () => anyTime(random), include: () => ['citation'] }),
      })
    case 6:
      if (random(2) === 0)
        return get('/v1/fields', some(random, 2, { query_time: () => anyTime(random), max_examples: () => random(22) }))
      return get('/v1/captures', some(random, 2, { max_bins: () => pick([10, 50, 400, 3], random) }))
    case 7:
    case 8:
      return get('/v1/suggest', {
        q: pick([pick(words, random).slice(0, 3), LATER_WORD.slice(0, 4), 'the', 'late', 'a.ex', ''], random),
        ...some(random, 2, { limit: () => 1 + random(20), query_time: () => anyTime(random) }),
      })
    case 9:
    case 10: {
      const method = pick(['GET', 'GET', 'HEAD'] as const, random)
      const date = new Date(anyInstant(random)).toUTCString()
      const path = encodeURI(mementoPath(random))
      const headers: Record<string, string> = {}
      if (random(2) === 0) headers['accept-datetime'] = date
      if (random(2) === 0) headers.accept = 'text/html,*/*;q=0.8'
      return { method, path, headers }
    }
    case 11:
    case 12:
      return mcpRequest(random, given, {})
    case 13: {
      const path = pick(
        [
          '/openapi.json',
          '/healthz',
          '/readyz',
          '/metrics',
          '/docs',
          '/',
          '/nothing',
          '/.well-known/x402',
          '/llms.txt',
        ],
        random,
      )
      return { method: pick(['GET', 'HEAD', 'OPTIONS'] as const, random), path, headers: {} }
    }
    case 14:
    case 15:
      return get('/v1/search/public', searchFields(random, given, keyless))
    default:
      return post('/v1/search/public', searchFields(random, given, keyless))
  }
}
