import { createHash } from 'node:crypto'
import { ServiceError } from '../contract/errors.ts'
import { WindowCounts } from '../fair-shares/window-counts.ts'

/** A caller's judgment of one page. */
export interface Judgment {
  /** Normalized. */
  url: string
  /** 0: the content did not load; 1 (low relevance) to 5 (perfect match). */
  score: number
  /** The current capture of the page, if the index had one; `acquiredAt` in epoch ms. */
  capture?: { url: string; acquiredAt: number }
}

/** One call of feedback as it is stored. */
export interface FeedbackSubmission {
  /** When the feedback was given, epoch ms. The query as of this instant gives the judged results again. */
  at: number
  /** The id of the organization. Stored files have this spelling of the field. */
  organization: string
  /** See {@link feedbackTopic}. */
  topic: string
  /** `query` and `text` are absent for an organization with zero data retention. */
  query?: string
  text?: string
  /** The judged pages. */
  judgments: Judgment[]
}

/** Stores feedback. */
export interface FeedbackJournal {
  /**
   * Stores a submission. It is on disk when the promise resolves.
   *
   * @param refetch - URLs to fetch again. A URL that is already on the list, or was fetched again recently, is not added.
   * @returns the number of URLs that will be fetched again.
   */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }>
}

/** Returns the topic of judgments in TREC files: the SHA-256, in hex, of the query, a line feed and the instant (ISO 8601). */
export function feedbackTopic(query: string, at: number): string {
  return createHash('sha256')
    .update(`${query}\n${new Date(at).toISOString()}`)
    .digest('hex')
}

/** The journal of a service that does not accept feedback. */
export const noJournal: FeedbackJournal = {
  async record() {
    throw noFeedback()
  },
}

export function noFeedback(): ServiceError {
  return new ServiceError('not_found', 'This server does not accept feedback.')
}

const URLS_PER_HOUR = 1_000

/** Counts the URLs that an organization judges. @throws ServiceError rate_limited */
export type LimitFeedback = (organization: string, urls: number) => Promise<void>

/** Limits each organization to 1,000 judged URLs an hour. */
export function limitFeedback(): LimitFeedback {
  const window = new WindowCounts({ points: URLS_PER_HOUR, durationMs: 3_600_000 })
  return async (organization, urls) => {
    const { exceeded, resetSeconds } = window.count(organization, urls)
    if (!exceeded) return
    const message = `Feedback is limited to ${URLS_PER_HOUR} URLs an hour.`
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: resetSeconds })
  }
}
