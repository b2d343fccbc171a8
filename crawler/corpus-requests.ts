import type { Corpus } from './corpus.ts'
import type { FetcherOptions } from './fetch/fetcher.ts'
import { siteOf } from './site.ts'

/**
 * Returns the language and the headers of a corpus's requests. Headers may be secrets, so they are sent only to the sites of
 * the seeds.
 */
export function corpusRequests({ headers, language, seeds }: Corpus): Pick<FetcherOptions, 'headersFor' | 'language'> {
  const seedSites = new Set(seeds.map(seed => siteOf(new URL(seed))))
  return {
    headersFor: headers && (url => (seedSites.has(siteOf(url)) ? headers : {})),
    language,
  }
}

/** Returns the `User-Agent` header of a corpus: its own if it has one, otherwise the default with its contact address. */
export function userAgentOf({ userAgent, contactUrl }: Pick<Corpus, 'userAgent' | 'contactUrl'>): string {
  return userAgent ?? (contactUrl === undefined ? 'asof/0.1' : `asof/0.1 (+${contactUrl})`)
}
