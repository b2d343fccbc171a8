import { createHash } from 'node:crypto'
import { type Engine, normalizeUrl } from '@asof/core'
import { ServiceError } from '../contract/errors.ts'
import type { FeedbackRequest, FeedbackResponse } from '../contract/schemas.ts'
import type { LimitFeedback } from '../fair-shares/feedback-limit.ts'

/** How relevant a caller found one URL. */
export interface Judgement {
  /** Normalised. */
  url: string
  /** 0 content not loaded, 1 low relevance to 5 perfect match. */
  score: number
  /** The capture that was current, where the index had one; instant in epoch ms. */
  capture?: { url: string; acquiredAt: number }
}

/** What one call of feedback is kept as. */
export interface FeedbackSubmission {
  /** Epoch ms: the instant at which the query is to be asked again. */
  at: number
  organisation: string
  /** See {@link feedbackTopic}. */
  topic: string
  /** Absent for an organisation under zero data retention, as is `text`. */
  query?: string
  text?: string
  judgements: Judgement[]
}

/** Where feedback is kept. */
export interface FeedbackJournal {
  /**
   * Keeps a submission. Resolves when it is durable.
   *
   * @param refetch - URLs to be fetched again, for which their source will be asked once however often they are named.
   * @returns how many of them will be.
   */
  record(submission: FeedbackSubmission, refetch: readonly string[]): Promise<{ refetches: number }>
}

/** Who gives feedback. */
export interface FeedbackCaller {
  /** Its id. */
  organisation: string
  /** Whether it is under zero data retention: then no text of the call is kept. */
  zdr: boolean
}

/** What feedback is answered with. */
export interface FeedbackSources {
  engine: Engine
  journal: FeedbackJournal
  limit: LimitFeedback
  now: () => number
}

/** The topic of judgements in TREC files: SHA-256, in hex, of the query, a line feed and the instant in ISO 8601. */
export function feedbackTopic(query: string, at: number): string {
  return createHash('sha256')
    .update(`${query}\n${new Date(at).toISOString()}`)
    .digest('hex')
}

/**
 * Takes feedback (E5): keeps it with the captures that were current, and has the pages that did not load fetched again.
 * Only pages that the index has are: feedback brings in nothing new.
 *
 * @throws ServiceError rate_limited - over 1,000 URLs an hour of one organisation; nothing was kept.
 * @throws AsofError ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - it was not kept.
 */
export async function answerFeedback(
  { engine, journal, limit, now }: FeedbackSources,
  { query, feedback, feedback_text: text }: FeedbackRequest,
  { organisation, zdr }: FeedbackCaller,
): Promise<FeedbackResponse> {
  const scores = new Map(Object.entries(feedback).map(([url, score]) => [normalizeUrl(url), score]))
  await limit(organisation, scores.size)
  const at = now()
  const judgements: Judgement[] = []
  const refetch: string[] = []
  for (const [url, score] of scores) {
    const page = await engine.page(url)
    judgements.push({ url, score, ...(page ? { capture: { url: page.url, acquiredAt: page.acquiredAt } } : {}) })
    if (score === 0 && page && /^https?:/.test(page.url)) refetch.push(page.url)
  }
  const texts = zdr ? {} : { query, ...(text === undefined ? {} : { text }) }
  const topic = feedbackTopic(query, at)
  const { refetches } = await journal.record({ at, organisation, topic, ...texts, judgements }, refetch)
  const kept = judgements.length === 1 ? '1 judgement was kept' : `${judgements.length} judgements were kept`
  const again = refetches === 1 ? '; 1 page will be fetched again' : `; ${refetches} pages will be fetched again`
  return { message: `Thank you: ${kept}${refetches === 0 ? '' : again}.` }
}

/** The journal of a service that has none. */
export const noJournal: FeedbackJournal = {
  async record() {
    throw new ServiceError('not_found', 'This server takes no feedback.')
  },
}
