import type { PageRecord } from '../frontier/frontier-record.ts'

/** The normalized URLs of a request with its redirects. The last one answered. */
export type VisitedUrls = readonly [requestedUrl: string, ...redirectedTo: string[]]

/** An answered request. All URLs are normalized. */
export interface Visit {
  requestedUrl: string
  /** The URL that answered, after redirects. */
  url: string
  /** The URLs that redirected, beginning with the requested one. Empty without redirects. */
  redirects: string[]
  /** The record of the requested URL before the visit. */
  record: PageRecord
  /** What the answer changes in the record of `url`: validators, freshness and time of the fetch. */
  learned: Partial<PageRecord>
}

export function visitOf(urls: VisitedUrls, record: PageRecord, learned: Partial<PageRecord>): Visit {
  const [requestedUrl, ...redirectedTo] = urls
  return { requestedUrl, url: redirectedTo.at(-1) ?? requestedUrl, redirects: urls.slice(0, -1), record, learned }
}

/** Returns all URLs of a visit, each once. */
export function urlsOf({ requestedUrl, redirects, url }: Visit): string[] {
  return [...new Set([requestedUrl, ...redirects, url])]
}

/** Returns what a visit changes in the record of one of its URLs. Validators belong only to the URL that answered. */
export function patchOf(visit: Visit, url: string): Partial<PageRecord> {
  const common: Partial<PageRecord> = { depth: visit.record.depth, missing: 0, attempts: 0, error: undefined }
  return url === visit.url ? { ...common, ...visit.learned } : common
}
