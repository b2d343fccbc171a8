import { anyQuery, anyTime, anyUrl, type Fields, some } from './sealed-fields.ts'
import { furtherDialectRequest } from './sealed-further-dialects.ts'
import { get, post, type SealedRequest } from './sealed-http.ts'
import { pick, type Random, sites, words, wordsOf } from './sealed-world.ts'

/** Makes a request of one of the dialects. The answers of some of them have the id of their request. */
export function dialectRequest(random: Random, headers: Record<string, string>): SealedRequest {
  const send = (path: string, fields: Fields) =>
    post(path, fields, { ...headers, 'x-request-id': 'of-a-sealed-server' })
  const query = anyQuery(random)
  const urls = Array.from({ length: 1 + random(3) }, () => anyUrl(random))
  const [url] = urls
  const time = () => anyTime(random)
  if (random(3) === 0) return furtherDialectRequest(random, headers)
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
