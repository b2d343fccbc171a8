import { anyTime, anyUrl, schemaOfValues, some } from './sealed-fields.ts'
import { post, type SealedRequest } from './sealed-http.ts'
import { pick, type Random, urlOf, wordsOf } from './sealed-world.ts'

/** Makes a request of one of the paths of dialects that list the pages of a site or read values of a page. */
export function furtherDialectRequest(random: Random, given: Record<string, string>): SealedRequest {
  const headers = { ...given, 'x-request-id': 'of-a-sealed-server' }
  const url = pick([anyUrl(random), new URL('/', urlOf(random)).href], random)
  const query_time = some(random, 3, { query_time: () => anyTime(random) })
  const limit = some(random, 2, { limit: () => 1 + random(20) })
  switch (random(4)) {
    case 0:
      return post(
        '/tavily/map',
        { url, ...limit, ...some(random, 3, { max_depth: () => 1 + random(3) }), ...query_time },
        headers,
      )
    case 1: {
      const formats = [{ type: 'json', schema: schemaOfValues }, ...pick([[], ['markdown']], random)]
      return post('/firecrawl/v2/scrape', { url, formats, ...query_time }, headers)
    }
    case 2:
      return post('/firecrawl/v1/map', { url, ...limit, ...query_time }, headers)
    default:
      return post(
        '/firecrawl/v2/map',
        { url, ...limit, ...some(random, 3, { search: () => wordsOf(random, 1) }), ...query_time },
        headers,
      )
  }
}
