import { createHash } from 'node:crypto'
import type { FeedbackSubmission } from '../calls/feedback-journal.ts'

/** Version of the stored format. A store with a later version is not opened. */
export const FEEDBACK_FORMAT = 1

const submissionPrefix = 's'
const refetchPrefix = 'r'
const SEQUENCE_DIGITS = 12

/** Keys of the feedback store, which sort by their UTF-8 bytes. */
export const feedbackKeys = {
  format: '!format',
  /** The key of a {@link FeedbackSubmission}. Keys sort in order of arrival. */
  submission: (sequence: number) => submissionPrefix + sequence.toString(16).padStart(SEQUENCE_DIGITS, '0'),
  sequenceOf: (key: string) => Number.parseInt(key.slice(submissionPrefix.length), 16),
  submissions: { gt: submissionPrefix, lt: 't' },
  /**
   * The key for an organization's latest judgment of a URL for a query. The value is the sequence number of the
   * submission.
   */
  latest: ({ organization, query }: { organization: string; query: string }, url: string) =>
    `l${createHash('sha256')
      .update(JSON.stringify([organization, query, url]))
      .digest('hex')}`,
  /** The key of a page to fetch again. The value is when that was requested, epoch ms. */
  refetch: (url: string) => refetchPrefix + url,
  urlOfRefetch: (key: string) => key.slice(refetchPrefix.length),
  refetches: { gt: refetchPrefix, lt: 's' },
  /** The key for when a page was last fetched again. The value is epoch ms. */
  refetched: (url: string) => `d${url}`,
}

/** A submission with only those of its judgments that no later submission has replaced. */
export interface CurrentSubmission extends FeedbackSubmission {
  sequence: number
}
