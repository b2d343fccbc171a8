import { z } from 'zod'
import { quoteRequest } from '../../../service/storefront/advisor/index.ts'
import { json, queryParameters } from './json-schema.ts'
import { withChallenge } from './mpp.ts'
import type { Operation, Paths } from './operation.ts'
import { always, answer, failures, rateLimitHeaders, requestIdHeader } from './responses.ts'

function guide(operationId: string): Operation {
  return {
    operationId,
    summary: 'Advice on how to buy calls for a task, without a wallet',
    security: [],
    parameters: queryParameters(z.strictObject({ goal: quoteRequest.shape.goal })),
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

/** The quote of the advisor: S3. */
export const quotePaths: Paths = {
  '/storefront/agent/quote': {
    post: withChallenge({
      operationId: 'storefront_quote_post',
      summary: 'Advice on how to buy calls for a task, for a wallet that proves itself with a payment of $0',
      description: 'A 402 asks for the proof. No funds move, and nothing is bought.',
      security: [],
      parameters: [
        { $ref: '#/components/parameters/PaymentSignature' },
        { $ref: '#/components/parameters/PaymentAuthorization' },
      ],
      requestBody: { required: true, content: json('QuoteRequest') },
      responses: {
        '200': answer('The advice.', 'QuoteResponse'),
        ...failures([...always, 'payment_required', 'advisor_unavailable', 'payload_too_large']),
      },
    }),
  },
}

/** The guide of the advisor: S4. */
export const guidePaths: Paths = {
  '/storefront/agent/guide': { get: guide('storefront_guide_get'), post: guide('storefront_guide_post') },
}
