import type { FrontierRecord } from '../frontier/frontier-record.ts'

/** The normalized URLs of a request with its redirects. The last one answered. */
export type VisitedUrls = readonly [requestedUrl: string, ...redirectedTo: string[]]

/** A visit whose request was answered. All URLs are normalized. */
export interface AnsweredVisit {
  requestedUrl: string
  /** The URL that answered, after redirects. */
  url: string
  /** The URLs that redirected, beginning with the requested one. Empty without redirects. */
  redirects: string[]
  /** The record of the requested URL before the visit. */
  record: FrontierRecord
  /** What the answer changes in the record of `url`: validators, freshness and time of the fetch. */
  learned: Partial<FrontierRecord>
}

export function answeredVisit(
  urls: VisitedUrls,
  record: FrontierRecord,
  learned: Partial<FrontierRecord>,
): AnsweredVisit {
  const [requestedUrl, ...redirectedTo] = urls
  return { requestedUrl, url: redirectedTo.at(-1) ?? requestedUrl, redirects: urls.slice(0, -1), record, learned }
}

/** Returns all URLs of a visit, each once. */
export function urlsOf({ requestedUrl, redirects, url }: AnsweredVisit): string[] {
  return [...new Set([requestedUrl, ...redirects, url])]
}

/** Returns what a visit changes in the record of one of its URLs. Validators belong only to the URL that answered. */
export function patchOf(visit: AnsweredVisit, url: string): Partial<FrontierRecord> {
  const common: Partial<FrontierRecord> = {
    depth: visit.record.depth,
    missing: 0,
    attempts: 0,
    error: undefined,
    claimedOnly: undefined,
  }
  return url === visit.url ? { ...common, ...visit.learned } : common
}
