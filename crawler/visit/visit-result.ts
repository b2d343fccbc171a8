import type { FrontierRecord } from '../frontier/frontier-record.ts'
import type { VisitOutcome } from '../report/visit-outcome.ts'

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
