import { createHash } from 'node:crypto'
import type { Reads } from '@asof/core'
import { normalizeUrl } from '@asof/core/internal'
import { ServiceError } from '../contract/errors.ts'
import type { FeedbackRequest, FeedbackResponse } from '../contract/feedback-schemas.ts'
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

/** The organization that gives feedback. */
export interface FeedbackCaller {
  /** The id of the organization. */
  organization: string
  /** True if the organization has zero data retention. Then no text of the call is stored. */
  zdr: boolean
}

/** The sources of an answer to feedback. */
interface FeedbackSources {
  engine: Pick<Reads, 'page'>
  journal: FeedbackJournal
  limit: LimitFeedback
  now: () => number
  /** The seal of the service, epoch ms. */
  sealedAt?: number | undefined
}

/** Returns the topic of judgments in TREC files: the SHA-256, in hex, of the query, a line feed and the instant (ISO 8601). */
export function feedbackTopic(query: string, at: number): string {
  return createHash('sha256')
    .update(`${query}\n${new Date(at).toISOString()}`)
    .digest('hex')
}

/**
 * Accepts feedback (spec E5): stores it with the current captures of the judged pages, and queues the pages that did not
 * load, to be fetched again. Only indexed pages are fetched again, so feedback can't add pages to the index.
 *
 * @throws ServiceError forbidden - the service is sealed.
 * @throws ServiceError not_found - the service takes no feedback.
 * @throws ServiceError rate_limited - the organization judged more than 1,000 URLs in an hour; nothing was stored.
 * @throws AsofError ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the feedback was not stored.
 */
export async function answerFeedback(
  { engine, journal, limit, now, sealedAt }: FeedbackSources,
  { query, feedback, feedback_text: text }: FeedbackRequest,
  { organization, zdr }: FeedbackCaller,
): Promise<FeedbackResponse> {
  if (sealedAt !== undefined)
    throw new ServiceError(
      'forbidden',
      'Feedback is about the newest pages, and this index or key is sealed, so it is not stored.',
    )
  if (journal === noJournal) throw noFeedback()
  const scores = new Map(Object.entries(feedback).map(([url, score]) => [normalizeUrl(url), score]))
  await limit(organization, scores.size)
  const at = now()
  const judgments: Judgment[] = []
  const refetch: string[] = []
  for (const [url, score] of scores) {
    const page = await engine.page(url, { markdownMaxLength: 0 })
    judgments.push({ url, score, capture: page && { url: page.url, acquiredAt: page.acquiredAt } })
    if (score === 0 && page && /^https?:/.test(page.url)) refetch.push(page.url)
  }
  const texts = zdr ? {} : { query, text }
  const topic = feedbackTopic(query, at)
  const { refetches } = await journal.record({ at, organization, topic, ...texts, judgments }, refetch)
  const kept = judgments.length === 1 ? '1 judgment was kept' : `${judgments.length} judgments were kept`
  const again = refetches === 1 ? '; 1 page will be fetched again' : `; ${refetches} pages will be fetched again`
  return { message: `Thank you: ${kept}${refetches === 0 ? '' : again}.` }
}

/** The journal of a service that does not accept feedback. */
export const noJournal: FeedbackJournal = {
  async record() {
    throw noFeedback()
  },
}

function noFeedback(): ServiceError {
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
