import { createHash } from 'node:crypto'
import type { FeedbackSubmission } from '../use-cases/feedback.ts'

/** Version of the format of keys and values. A store with a later version is not opened. */
export const FEEDBACK_FORMAT = 1

const submissionPrefix = 's'
const refetchPrefix = 'r'
const SEQUENCE_DIGITS = 12

/** The keys of the feedback store: UTF-8, in byte order. */
export const feedbackKeys = {
  format: '!format',
  /** A {@link FeedbackSubmission}, in the order of arrival. */
  submission: (sequence: number) => submissionPrefix + sequence.toString(16).padStart(SEQUENCE_DIGITS, '0'),
  sequenceOf: (key: string) => Number.parseInt(key.slice(submissionPrefix.length), 16),
  submissions: { gt: submissionPrefix, lt: 't' },
  /** The sequence number of the submission with an organization's latest judgment of a URL for a query. */
  latest: ({ organization, query }: { organization: string; query: string }, url: string) =>
    `l${createHash('sha256')
      .update(JSON.stringify([organization, query, url]))
      .digest('hex')}`,
  /** A page to fetch again. The value is when that was requested, epoch ms. */
  refetch: (url: string) => refetchPrefix + url,
  urlOfRefetch: (key: string) => key.slice(refetchPrefix.length),
  refetches: { gt: refetchPrefix, lt: 's' },
  /** When a page was last fetched again, epoch ms. */
  refetched: (url: string) => `d${url}`,
}

/** A submission with only those of its judgments that no later submission replaced. */
export interface CurrentSubmission extends FeedbackSubmission {
  sequence: number
}
