import type { Corpus } from './corpus.ts'
import type { FetcherOptions } from './fetch/fetcher.ts'
import { siteOf } from './site.ts'

/**
 * What a corpus says about its requests: its language, and its headers, which go to the sites of its seeds only, because
 * they may be secrets.
 */
export function corpusRequests({ headers, language, seeds }: Corpus): Pick<FetcherOptions, 'headersFor' | 'language'> {
  const seedSites = new Set(seeds.map(seed => siteOf(new URL(seed))))
  return {
    headersFor: headers && (url => (seedSites.has(siteOf(url)) ? headers : {})),
    language,
  }
}

/** Returns the `User-Agent` header of a corpus: its own, or the default one with its contact address, if it has one. */
export function userAgentOf({ userAgent, contactUrl }: Pick<Corpus, 'userAgent' | 'contactUrl'>): string {
  return userAgent ?? (contactUrl === undefined ? 'asof/0.1' : `asof/0.1 (+${contactUrl})`)
}
