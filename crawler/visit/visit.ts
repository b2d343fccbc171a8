import type { PageRecord } from '../frontier/frontier-record.ts'

/** The URLs that a request went through, normalized: from the requested URL to the one that answered. */
export type VisitedUrls = readonly [requestedUrl: string, ...redirectedTo: string[]]

/** A request that was answered. All URLs are normalized. */
export interface Visit {
  requestedUrl: string
  /** The URL that answered, after redirects. */
  url: string
  /** From the requested URL on, without the final one; empty if nothing redirected. */
  redirects: string[]
  /** The requested URL's record before this visit. */
  record: PageRecord
  /** The fields that the answer gives the record of `url`: validators, freshness and time. */
  learned: Partial<PageRecord>
}

export function visitOf(urls: VisitedUrls, record: PageRecord, learned: Partial<PageRecord>): Visit {
  const [requestedUrl, ...redirectedTo] = urls
  return { requestedUrl, url: redirectedTo.at(-1) ?? requestedUrl, redirects: urls.slice(0, -1), record, learned }
}

/** All URLs of a visit, each once. */
export function urlsOf({ requestedUrl, redirects, url }: Visit): string[] {
  return [...new Set([requestedUrl, ...redirects, url])]
}

/**
 * Returns the fields that a visit writes into the record of one of its URLs. Only the record of the URL that answered gets
 * the validators.
 */
export function patchOf(visit: Visit, url: string): Partial<PageRecord> {
  const common: Partial<PageRecord> = { depth: visit.record.depth, missing: 0, attempts: 0, error: undefined }
  return url === visit.url ? { ...common, ...visit.learned } : common
}
