import { z } from 'zod'
import { json, queryParameters } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { always, answer, failures, rateLimitHeaders, requestIdHeader } from './responses.ts'
import { withPayment } from './x402.ts'

const count = z.int().min(1).max(1_000_000)
const goal = z.string().min(1).max(2_000).describe('What the caller wants to do. Must not contain credentials.')

/** The request of a quote (spec 2.9). */
export const quoteRequest = z.strictObject({
  goal,
  quantity: count.describe('Number of calls.').optional(),
  budgetUsd: z
    .string()
    .regex(/^\d{1,9}(?:\.\d{1,6})?$/)
    .optional(),
  budgetExclusive: z.boolean().optional(),
  reviewAfterCalls: count.optional(),
  requirements: z.string().min(1).max(300).optional(),
  humanAvailable: z.boolean().optional(),
  payment: z.enum(['x402', 'mpp', 'card']).optional(),
})

/** The answer to it (spec 2.9). */
export const quoteResponse = z.strictObject({
  status: z.enum(['quoted', 'ready', 'needs_input', 'blocked', 'unknown', 'unsupported', 'unavailable']),
  priceUsd: z.literal('0'),
  guide: z.string().describe('Markdown.'),
  guideUrl: z.url(),
})

function guide(operationId: string): Operation {
  return {
    operationId,
    summary: 'Advice on how to buy calls for a task, without a wallet',
    security: [],
    parameters: queryParameters(z.strictObject({ goal })),
    responses: {
      '200': {
        description: 'The advice.',
        headers: { ...requestIdHeader, ...rateLimitHeaders },
        content: { 'text/markdown': { schema: { type: 'string' } } },
      },
      ...failures(always),
    },
  }
}

/** The advisor: S3 and S4. */
export const advisorPaths: Paths = {
  '/storefront/agent/quote': {
    post: withPayment({
      operationId: 'storefront_quote_post',
      summary: 'Advice on how to buy calls for a task, for a wallet that proves itself with a payment of $0',
      description: 'A 402 asks for the proof. No funds move, and nothing is bought.',
      security: [],
      parameters: [{ $ref: '#/components/parameters/PaymentSignature' }],
      requestBody: { required: true, content: json('QuoteRequest') },
      responses: {
        '200': answer('The advice.', 'QuoteResponse'),
        ...failures([...always, 'payment_required', 'payments_unavailable', 'payload_too_large']),
      },
    }),
  },
  '/storefront/agent/guide': { get: guide('storefront_guide_get'), post: guide('storefront_guide_post') },
}
