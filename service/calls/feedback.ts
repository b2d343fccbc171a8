import { normalizeUrl } from '@asof/core/internal'
import { ServiceError } from '../contract/errors.ts'
import { feedbackRequest, feedbackResponse } from '../contract/feedback-schemas.ts'
import type { CallOf } from './call.ts'
import { feedbackTopic, type Judgment, noFeedback, noJournal } from './feedback-journal.ts'

/** The organization that is stored with feedback of the owner of an index. */
const OWNER = 'local'

/**
 * Feedback (spec E5) is stored with the current captures of the judged pages, and the pages that did not load are queued, to be fetched
 * again. Only indexed pages are fetched again, so feedback can't add pages to the index.
 */
export const feedbackCall = {
  request: feedbackRequest,
  response: feedbackResponse,
  methods: ['POST'],
  callers: 'keyed',
  described: { summary: 'Rate the relevance of pages to a query', answer: 'The feedback is stored.' },
  failures: ['not_found'],
  /**
   * @throws ServiceError forbidden - the service is sealed.
   * @throws ServiceError not_found - the service takes no feedback.
   * @throws ServiceError rate_limited - the organization judged more than 1,000 URLs in an hour; nothing was stored.
   * @throws AsofError ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_CLOSED - the feedback was not stored.
   */
  run: async (
    { engine, journal, limitFeedback, now, sealedAt },
    { query, feedback, feedback_text: text },
    { organization = OWNER, policy = {} },
  ) => {
    if (sealedAt !== undefined)
      throw new ServiceError(
        'forbidden',
        'Feedback is about the newest pages, and this index or key is sealed, so it is not stored.',
      )
    if (journal === noJournal) throw noFeedback()
    const scores = new Map(Object.entries(feedback).map(([url, score]) => [normalizeUrl(url), score]))
    await limitFeedback(organization, scores.size)
    const at = now()
    const judgments: Judgment[] = []
    const refetch: string[] = []
    for (const [url, score] of scores) {
      const page = await engine.page(url, { markdownMaxLength: 0 })
      judgments.push({ url, score, capture: page && { url: page.url, acquiredAt: page.acquiredAt } })
      if (score === 0 && page && /^https?:/.test(page.url)) refetch.push(page.url)
    }
    // No text of an organization with zero data retention is stored.
    const texts = policy.zdr ? {} : { query, text }
    const topic = feedbackTopic(query, at)
    const { refetches } = await journal.record({ at, organization, topic, ...texts, judgments }, refetch)
    const kept = judgments.length === 1 ? '1 judgment was kept' : `${judgments.length} judgments were kept`
    const again = refetches === 1 ? '; 1 page will be fetched again' : `; ${refetches} pages will be fetched again`
    return { body: { message: `Thank you: ${kept}${refetches === 0 ? '' : again}.` }, instant: at }
  },
} satisfies CallOf<typeof feedbackRequest, typeof feedbackResponse>
