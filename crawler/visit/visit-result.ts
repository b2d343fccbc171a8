import type { FrontierRecord } from '../frontier/frontier-record.ts'

/** How the visit of a URL ended. */
export type VisitOutcome =
  /** A new capture was added. */
  | 'captured'
  /** The stored text is unchanged. */
  | 'unchanged'
  /** The index has the content under another URL, of which this URL becomes an alias. */
  | 'duplicate'
  /** The page asks not to be indexed. */
  | 'noindex'
  /** robots.txt forbids the URL. */
  | 'robots'
  /** The URL redirects out of the crawl's scope. */
  | 'outside'
  /** Nothing was requested, because the stored content is still fresh as its site declared. */
  | 'fresh'
  /** Pages claim the URL as their address, nothing links to it, and it gives no page. */
  | 'unproven'
  /** The page could not be fetched or stored. */
  | 'failed'
  /** The visit failed and will be repeated in this run. */
  | 'later'

/** The result of a visit, which tells the worker whether to queue the URL again. */
export type VisitResult =
  /** The outcome is in the frontier, or will be after the commit of the page's capture. */
  | { kind: 'finished'; outcome: VisitOutcome }
  /** The visit failed. The URL must be queued again for `dueAt` (epoch ms), with these changes to its record. */
  | { kind: 'retry'; dueAt: number; patch: Partial<FrontierRecord> }
  /** Nothing was requested, because the capture of another page finishes this URL too. The URL must be put back. */
  | { kind: 'buffered' }
  /**
   * Nothing was requested, because robots.txt cannot be read. The URL must be put back, and the host left alone until
   * `untilAt` (epoch ms).
   */
  | { kind: 'blocked'; untilAt: number }
  /** Nothing was requested, because the crawl was stopped or reached its page limit. The URL must be put back. */
  | { kind: 'stopped' }
