import type { FeedbackJournal } from '../calls/feedback-journal.ts'
import type { CurrentSubmission } from './feedback-record.ts'

/** Minimum time between two re-fetches of one page. */
export const REFETCH_INTERVAL_MS = 24 * 60 * 60 * 1000

/**
 * All feedback, and the pages to fetch again because of it. Submissions are never changed or deleted. A submission and all its effects
 * are stored together, before `record` resolves. Memory does not grow with the number of submissions.
 */
export interface FeedbackStore extends FeedbackJournal {
  /** Yields all submissions in order of arrival, without judgments that later submissions replaced. */
  current(): AsyncGenerator<CurrentSubmission, void, undefined>
  /** Returns at most `limit` pages to fetch again. No two servers get the same page, while the one that has it is alive. */
  refetches(limit: number): Promise<string[]>
  /**
   * Removes pages from the list of those to fetch again, and records when they were fetched.
   *
   * @param at - epoch ms.
   * @throws ASOF_STORE_WRITE
   */
  settleRefetches(urls: readonly string[], at: number): Promise<void>
  close(): Promise<void>
}
