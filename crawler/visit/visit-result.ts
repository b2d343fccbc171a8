import type { PageRecord } from '../frontier/frontier-record.ts'

/** How the visit of a URL ended. */
export type VisitOutcome =
  /** A new capture was added. */
  | 'captured'
  /** The stored text is unchanged. */
  | 'unchanged'
  /** The index has the content under another URL. The visited URL becomes an alias of that one. */
  | 'duplicate'
  /** The page asks not to be indexed. */
  | 'noindex'
  /** robots.txt forbids the URL. */
  | 'robots'
  /** The URL redirects out of the crawl's scope. */
  | 'outside'
  /** Nothing was requested: the site says that the stored content is still fresh. */
  | 'fresh'
  /** The page could not be fetched or stored. */
  | 'failed'
  /** The visit failed and will be tried again in this run. */
  | 'later'

/** The result of a visit, by which the worker that has the URL decides whether to queue it again. */
export type VisitResult =
  /** The outcome is in the frontier, or will be when the capture of the page is committed. */
  | { kind: 'finished'; outcome: VisitOutcome }
  /** The visit failed: queue the URL again for `dueAt` (epoch ms), with these changes to its record. */
  | { kind: 'retry'; dueAt: number; patch: Partial<PageRecord> }
  /** Nothing was requested, because the capture of another page finishes this URL too: put the URL back, and take the next. */
  | { kind: 'buffered' }
  /** Nothing was requested, because robots.txt cannot be read: put the URL back, and leave the host until `untilAt` (epoch ms). */
  | { kind: 'blocked'; untilAt: number }
  /** Nothing was requested, because the crawl was stopped or reached its page limit: put the URL back. */
  | { kind: 'stopped' }
