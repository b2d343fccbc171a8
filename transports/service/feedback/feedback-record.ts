import { createHash } from 'node:crypto'
import type { FeedbackSubmission } from '../index.ts'

/** Version of the keys and values below; a store of a later one is not opened. */
export const FEEDBACK_FORMAT = 1

const submissionPrefix = 's'
const refetchPrefix = 'r'
const SEQUENCE_DIGITS = 12

/** Keys of the feedback store. Strings, UTF-8, in byte order. */
export const feedbackKeys = {
  format: '!format',
  /** {@link FeedbackSubmission}s, in the order in which they came. */
  submission: (sequence: number) => submissionPrefix + sequence.toString(16).padStart(SEQUENCE_DIGITS, '0'),
  sequenceOf: (key: string) => Number.parseInt(key.slice(submissionPrefix.length), 16),
  submissions: { gt: submissionPrefix, lt: 't' },
  /** The sequence of the submission whose judgement of a URL for a query of an organisation is the latest. */
  latest: ({ organisation, query }: { organisation: string; query: string }, url: string) =>
    `l${createHash('sha256')
      .update(JSON.stringify([organisation, query, url]))
      .digest('hex')}`,
  /** Pages to be fetched again: when it was asked for, epoch ms. */
  refetch: (url: string) => refetchPrefix + url,
  urlOfRefetch: (key: string) => key.slice(refetchPrefix.length),
  refetches: { gt: refetchPrefix, lt: 's' },
  /** When a page was last fetched again, epoch ms. */
  refetched: (url: string) => `d${url}`,
}

/** A submission with the judgements of it that no later one replaced. */
export interface CurrentSubmission extends FeedbackSubmission {
  sequence: number
}
