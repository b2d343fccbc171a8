import { anyQuery, anyTime, anyUrl, schemaOfValues, some } from './sealed-fields.ts'
import { get, post, type SealedRequest } from './sealed-http.ts'
import { pick, type Random, urlOf, wordsOf } from './sealed-world.ts'

/** Makes a request of a dialect that lists pages or reads values of one, or of one of the smaller dialects. */
export function furtherDialectRequest(random: Random, given: Record<string, string>): SealedRequest {
  const headers = { ...given, 'x-request-id': 'of-a-sealed-server' }
  const url = pick([anyUrl(random), new URL('/', urlOf(random)).href], random)
  const query_time = some(random, 3, { query_time: () => anyTime(random) })
  const asOf = some(random, 3, { objective: () => wordsOf(random, 2), as_of: () => anyTime(random) })
  const limit = some(random, 2, { limit: () => 1 + random(20) })
  switch (random(8)) {
    case 0: {
      const depth = some(random, 3, { max_depth: () => 1 + random(3) })
      return post('/tavily/map', { url, ...limit, ...depth, ...query_time }, headers)
    }
    case 1: {
      const formats = [{ type: 'json', schema: schemaOfValues }, ...pick([[], ['markdown']], random)]
      return post('/firecrawl/v2/scrape', { url, formats, ...query_time }, headers)
    }
    case 2:
      return post('/firecrawl/v1/map', { url, ...limit, ...query_time }, headers)
    case 3: {
      const search = some(random, 3, { search: () => wordsOf(random, 1) })
      return post('/firecrawl/v2/map', { url, ...limit, ...search, ...query_time }, headers)
    }
    case 4: {
      const search_queries = [anyQuery(random), anyQuery(random)].slice(random(2))
      return post('/parallel/v1/search', { search_queries, ...asOf }, headers)
    }
    case 5: {
      const fetch_policy = { max_age_seconds: random(2) }
      const settings = { advanced_settings: { full_content: random(2) === 0, fetch_policy } }
      return post('/parallel/v1/extract', { urls: [url], ...asOf, ...pick([{}, settings], random) }, headers)
    }
    case 6: {
      const pages = some(random, 3, {
        count: () => 1 + random(20),
        offset: () => random(3),
        extra_snippets: () => true,
      })
      const freshness = some(random, 4, { freshness: () => pick(['pd', 'py', '2024-01-01to2026-01-01'], random) })
      return get('/brave/res/v1/web/search', { q: anyQuery(random), ...pages, ...freshness, ...query_time }, headers)
    }
    default: {
      const accept = pick(['application/json', 'text/plain'], random)
      const fresh = pick<Record<string, string>>(
        [{}, {}, { 'x-no-cache': 'true' }, { 'x-cache-tolerance': '10' }],
        random,
      )
      return { method: 'GET', path: encodeURI(`/r/${anyUrl(random)}`), headers: { ...headers, ...fresh, accept } }
    }
  }
}
