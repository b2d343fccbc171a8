import type { PageRecord } from '../frontier/frontier-record.ts'

/** How the visit of a URL ended. */
export type VisitOutcome =
  /** A new capture was added. */
  | 'captured'
  /** The text is the one that is stored. */
  | 'unchanged'
  /** The content belongs to another URL, of which this one is an alias from now on. */
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

/** What a visit decided about its URL. Whoever took the URL from the frontier queues it again, or not, by this. */
export type VisitResult =
  /** The outcome is in the frontier, or will be when the page's batch is committed. */
  | { kind: 'settled'; outcome: VisitOutcome }
  /** The visit failed: queue the URL again, due at an instant (epoch ms), with these changes to its record. */
  | { kind: 'retry'; dueAt: number; patch: Partial<PageRecord> }
  /** Nothing was requested, because the visit of another page settles this URL too: put it back, and look again. */
  | { kind: 'pending' }
  /** Nothing was requested, because the robots.txt cannot be read: put the URL back until an instant (epoch ms). */
  | { kind: 'blocked'; untilAt: number }
  /** Nothing was requested, because the crawl was stopped or reached its page limit: put the URL back. */
  | { kind: 'stopped' }
