import { isAsofError } from '@asof/core'
import { normalizeUrl } from '@asof/core/internal'
import { z } from 'zod'
import { limits, text } from './schema-parts.ts'

function isPageUrl(value: string): boolean {
  try {
    normalizeUrl(value)
    return true
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return false
    throw error
  }
}

/** The request of feedback, spec 2.6. */
export const feedbackRequest = z.strictObject({
  query: text(limits.queryChars)
    .regex(/\S/u, { error: 'must not be empty' })
    .describe('The query whose results are judged, as it was sent.'),
  feedback: z
    .record(
      z.string().refine(isPageUrl, { error: 'must be the absolute URL of a page' }).meta({ format: 'uri' }),
      z.int().min(limits.feedbackScore.min).max(limits.feedbackScore.max),
    )
    .refine(judged => Object.keys(judged).length > 0, { error: 'must judge at least one URL' })
    .refine(judged => Object.keys(judged).length <= limits.feedbackUrls, {
      error: `at most ${limits.feedbackUrls} URLs`,
    })
    .meta({ minProperties: 1, maxProperties: limits.feedbackUrls })
    .describe(
      'By URL: 0 content not loaded, 1 low relevance, 2 somewhat relevant, 3 relevant, 4 highly relevant, 5 perfect match.',
    ),
  feedback_text: text(limits.feedbackTextChars).optional().describe('A comment in free text.'),
})

export type FeedbackRequest = z.output<typeof feedbackRequest>

/** The response to feedback, spec 2.6. */
export const feedbackResponse = z.strictObject({ message: z.string().describe('A confirmation.') })

export type FeedbackResponse = z.output<typeof feedbackResponse>
