import type { FetcherOptions } from '../fetch/fetcher.ts'
import type { PolitenessOptions } from '../politeness/politeness.ts'
import { siteOf } from '../site.ts'
import type { Corpus } from './corpus.ts'

/**
 * Returns the language and the headers of a corpus for its requests. Headers may be secrets, so only the sites of the
 * seeds get them.
 */
export function corpusRequests({ headers, language, seeds }: Corpus): Pick<FetcherOptions, 'headersFor' | 'language'> {
  const seedSites = new Set(seeds.map(seed => siteOf(new URL(seed))))
  return {
    headersFor: headers && (url => (seedSites.has(siteOf(url)) ? headers : {})),
    language,
  }
}

/** Returns the `User-Agent` of a corpus: its own, or else the default with the contact URL of the corpus. */
export function userAgentOf({ userAgent, contactUrl }: Pick<Corpus, 'userAgent' | 'contactUrl'>): string {
  return userAgent ?? (contactUrl === undefined ? 'asof/0.1' : `asof/0.1 (+${contactUrl})`)
}

/** Returns the pauses and limits of a corpus for its requests. */
export function corpusPoliteness({ delayMs, politeness = {} }: Corpus): PolitenessOptions {
  const { adaptiveFactor, maxCrawlDelayMs, requestsPerSecond } = politeness
  return { delayMs, adaptiveFactor, maxCrawlDelayMs, maxRequestsPerSecond: requestsPerSecond }
}
