import {
  FIRST_AT,
  LAST_AT,
  LATER_WORD,
  pick,
  type Random,
  SEALED_AT,
  sites,
  urlOf,
  words,
  wordsOf,
} from './sealed-world.ts'

const DAY_MS = 86_400_000

/** A request of the generated kind. */
export interface SealedRequest {
  method: 'GET' | 'POST' | 'HEAD' | 'OPTIONS'
  path: string
  headers: Record<string, string>
  body?: string
}

/** What earlier answers gave, to be sent again. */
export interface Given {
  cursors: string[]
  after: string[]
}

type Fields = Record<string, unknown>

const iso = (at: number) => new Date(at).toISOString()

/** Any instant of the history, before and after the seal. */
function anyInstant(random: Random): number {
  return FIRST_AT - 30 * DAY_MS + random(830) * DAY_MS + random(DAY_MS)
}

/** A time in one of its many forms, also ones after the seal and ones that are wrong. */
function anyTime(random: Random): unknown {
  const at = anyInstant(random)
  return pick(
    [
      iso(at),
      iso(at),
      iso(at).slice(0, 10),
      iso(SEALED_AT),
      iso(SEALED_AT - 1),
      iso(SEALED_AT + 1),
      iso(SEALED_AT + 59_000),
      iso(SEALED_AT + 61_000),
      iso(LAST_AT),
      '2099-01-01',
      '7d',
      '90min',
      '1y',
      '2w',
      '0d',
      String(Math.floor(at / 1000)),
      String(at),
      'soon',
      '',
      '2024-13-01',
    ],
    random,
  )
}

/** Adds each optional field with a chance. */
function some(random: Random, oneIn: number, fields: Record<string, () => unknown>): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (random(oneIn) === 0 ? [[name, value()]] : [])),
  )
}

function anyQuery(random: Random): string {
  const text = wordsOf(random, 1 + random(4))
  return pick(
    [
      text,
      text,
      text,
      `"${wordsOf(random, 2)}"`,
      `${text} -${pick(words, random)}`,
      `${text} site:${pick(sites, random)}`,
      text.replace(/[aeiou]/, ''),
      LATER_WORD,
      `${pick(words, random)} ${LATER_WORD}`,
      `site:${pick(sites, random)}`,
      '*',
      urlOf(random),
      `https://late.example/${random(4)}`,
      `https://alias.example/${random(6)}`,
      ' ',
      `latest ${text}`,
      text.slice(0, -1),
      `"${LATER_WORD} ${pick(words, random)}"`,
      `how much is ${text}`,
    ],
    random,
  )
}

function anyWebql(random: Random): string {
  const [a, b] = [pick(words, random), pick(words, random)]
  return pick(
    [
      `${a} AND ${b}`,
      `${a} OR ${LATER_WORD}`,
      `${a.slice(0, 3)}*`,
      `${a}~ NOT ${b}`,
      `title:${a}`,
      `price:10..50 ${a}`,
      `acquired:[${iso(anyInstant(random)).slice(0, 10)} TO *] ${a}`,
      `published:[7d TO *] ${a}`,
      'later:true',
      `${a} AND (`,
      `${a} NEAR/4 ${b}`,
      `color:red OR author:${a}`,
      `${LATER_WORD.slice(0, 4)}*`,
    ],
    random,
  )
}

function anyFilter(random: Random): unknown {
  return pick(
    [
      { color: pick(['red', 'green', 'blue'], random) },
      { price: { gte: random(50) } },
      { later: true },
      { later: { exists: false } },
      { any: [{ color: 'red' }, { price: { lt: 20 } }] },
      { latter: 1 },
      { price: 'a' },
      {},
    ],
    random,
  )
}

function searchFields(random: Random, given: Given, modes: readonly string[]): Fields {
  const mode = pick(modes, random)
  const asked: Fields = { query: mode === 'webql' ? anyWebql(random) : anyQuery(random) }
  if (random(2) === 0) asked.mode = mode
  return {
    ...asked,
    ...some(random, 3, { query_time: () => anyTime(random), max_results: () => 1 + random(12) }),
    ...some(random, 7, {
      site: () => pick([...sites, 'late.example', 'co'], random),
      sites: () => [pick(sites, random), 'late.example', `${pick(sites, random)}/${random(9)}`],
      exclude_sites: () => [pick([pick(sites, random), `${pick(sites, random)}/${random(9)}`], random)],
      filter: () => anyFilter(random),
      facets: () => [pick(['color', 'price:10', 'acquired_at:month', 'published_at:year', 'later', 'nothing'], random)],
      sort: () => pick(['price:desc', 'acquired_at', 'published_at:desc', 'score', 'later'], random),
      published_after: () => anyTime(random),
      published_before: () => anyTime(random),
      acquired_after: () => anyTime(random),
      acquired_before: () => anyTime(random),
      snippet_max_length: () => pick([0, 180, 400, 5], random),
      enable_wizards: () => true,
      explain: () => true,
      include: () => pick([['citation'], ['content', 'author'], ['score', 'last_seen_at', 'citation']], random),
    }),
    ...some(random, 12, {
      content_max_chars: () => pick([1, 300, 50_001], random),
      strict: () => true,
      offset: () => random(9),
      cursor: () => (given.cursors.length > 0 ? pick(given.cursors, random) : 'nothing'),
      language: () => pick(['en', 'de', 'xx'], random),
      typing: () => true,
      weights: () => ({ title: random(5) }),
      quary: () => 'misspelled',
    }),
  }
}

function anyUrl(random: Random): string {
  return pick(
    [
      urlOf(random),
      urlOf(random),
      urlOf(random),
      `https://alias.example/${random(6)}`,
      `https://late.example/${random(4)}`,
      'https://unknown.example/',
      'not a url',
      'ftp://a.example/1',
      'https://user:secret@a.example/1',
    ],
    random,
  )
}

function fetchFields(random: Random): Fields {
  return {
    url: anyUrl(random),
    ...some(random, 2, { query_time: () => anyTime(random) }),
    ...some(random, 6, {
      live: () => pick([true, true, false, 'maybe'], random),
      prompt: () => wordsOf(random, 3),
      max_chars: () => pick([1, 40, 50_000, -1], random),
      include: () => pick([['citation'], ['metadata'], ['citations']], random),
    }),
  }
}

function historyFields(random: Random, given: Given): Fields {
  return {
    url: anyUrl(random),
    ...some(random, 2, { query_time: () => anyTime(random), limit: () => 1 + random(4) }),
    ...some(random, 8, { after: () => (given.after.length > 0 ? pick(given.after, random) : 'nothing') }),
  }
}

function quote(random: Random): Fields {
  return {
    url: anyUrl(random),
    quote: pick([wordsOf(random, 2), wordsOf(random, 4), `The ${wordsOf(random, 2)}`, LATER_WORD, '', '…'], random),
    ...some(random, 3, { query_time: () => anyTime(random) }),
  }
}

function verifyFields(random: Random): Fields {
  return random(3) === 0 ? { quotes: Array.from({ length: 1 + random(5) }, () => quote(random)) } : quote(random)
}

function passagesFields(random: Random): Fields {
  return {
    query: anyQuery(random),
    ...some(random, 2, { query_time: () => anyTime(random), max_chars: () => 180 + random(3_000) }),
    ...some(random, 4, { max_tokens: () => 50 + random(500), max_per_page: () => 1 + random(3) }),
    ...some(random, 4, { mode: () => pick(['pro', 'realtime', 'webql'], random), include: () => ['citation'] }),
  }
}

function mapFields(random: Random): Fields {
  return {
    url: pick([anyUrl(random), new URL('/', urlOf(random)).href], random),
    ...some(random, 2, { query_time: () => anyTime(random), limit: () => 1 + random(20) }),
    ...some(random, 4, { search: () => wordsOf(random, 1), include_subdomains: () => true }),
  }
}

const schemaOfValues = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    published: { type: 'string', format: 'date' },
    price: { type: 'number' },
    name: { type: 'string' },
  },
}

function extractFields(random: Random): Fields {
  return {
    urls: Array.from({ length: 1 + random(3) }, () => anyUrl(random)),
    schema: schemaOfValues,
    ...some(random, 2, { query_time: () => anyTime(random), model: () => random(4) === 0 }),
  }
}

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

const json = { 'content-type': 'application/json' }
const titled = { 'x-service-title': 'tests' }

function post(path: string, value: unknown, headers: Record<string, string> = titled): SealedRequest {
  return { method: 'POST', path, headers: { ...headers, ...json }, body: JSON.stringify(value) }
}

/** A request by GET. Lists and objects are not sent, as a form can't hold them. */
function get(path: string, fields: Fields, headers: Record<string, string> = titled): SealedRequest {
  const form = Object.entries(fields).filter(([, value]) => typeof value !== 'object')
  const query = new URLSearchParams(form.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return { method: 'GET', path: query === '' ? path : `${path}?${query}`, headers }
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

/** Makes a request of one of the dialects. The answers of some of them have the id of their request. */
function dialectRequest(random: Random, headers: Record<string, string>): SealedRequest {
  const send = (path: string, fields: Fields) =>
    post(path, fields, { ...headers, 'x-request-id': 'of-a-sealed-server' })
  const query = anyQuery(random)
  const urls = Array.from({ length: 1 + random(3) }, () => anyUrl(random))
  const [url] = urls
  const time = () => anyTime(random)
  const query_time = some(random, 3, { query_time: time })
  const domains = () => [pick(sites, random)]
  const crawled = some(random, 4, {
    startCrawlDate: time,
    endCrawlDate: time,
    startPublishedDate: time,
    includeDomains: domains,
  })
  switch (random(9)) {
    case 0:
      return get(
        pick(['/searxng', '/searxng/search'], random),
        {
          q: query,
          format: 'json',
          ...some(random, 4, { pageno: () => random(3), time_range: () => pick(['day', 'month', 'year'], random) }),
          ...query_time,
        },
        headers,
      )
    case 1: {
      const fresh = some(random, 5, {
        livecrawl: () => pick(['always', 'preferred', 'never'], random),
        maxAgeHours: () => random(3),
      })
      return send('/exa/contents', { urls, text: true, ...fresh, ...some(random, 3, { snapshotAsOf: time }) })
    }
    case 2:
      return send('/exa/findSimilar', { url, contents: { text: true }, ...crawled, ...query_time })
    case 3:
      return send('/tavily/extract', { urls, ...some(random, 3, { query: () => anyQuery(random) }), ...query_time })
    case 4:
    case 5:
      return send('/tavily/search', {
        query,
        include_raw_content: true,
        ...some(random, 4, { start_date: time, end_date: time, include_domains: domains, exact_match: () => true }),
        ...query_time,
      })
    case 6:
      return send('/firecrawl/v2/scrape', { url, formats: ['markdown', 'links'], ...query_time })
    case 7:
      return send('/firecrawl/v2/search', {
        query,
        scrapeOptions: { formats: ['markdown'] },
        ...some(random, 3, { tbs: () => pick(['qdr:m', 'qdr:y', 'sbd:1', 'qdr:x'], random) }),
        ...query_time,
      })
    default: {
      const contents = { text: true, ...some(random, 3, { highlights: () => true, snapshotAsOf: time }) }
      const phrases = some(random, 5, {
        includeText: () => [wordsOf(random, 2)],
        excludeText: () => [pick(words, random)],
      })
      return send('/exa/search', { query, contents, numResults: 1 + random(60), ...crawled, ...phrases })
    }
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
      return get('/v1/fetch', fetchFields(random), headers)
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
