import { z } from 'zod'
import { json } from './json-schema.ts'
import type { Operation } from './operation.ts'
import { paymentOffer } from './x402.ts'

/**
 * The body of a 402 that offers several protocols: an error with the offer of x402 (spec 2.8), and the fields of a problem
 * document (RFC 9457).
 */
export const paymentChallenge = z.looseObject({
  ...paymentOffer.partial().shape,
  error: z
    .string()
    .describe('`Payment required`, `Payment settlement failed`, or what is wrong with a payment by x402.'),
  message: z.string(),
  type: z.url(),
  title: z.string(),
  status: z.literal(402),
  detail: z.string().describe('The same as `message`.'),
})

/** Adds the headers of x402 and MPP, and the body of a 402. */
export function withChallenge(operation: Operation): Operation {
  const { '200': answered, '402': refused, ...others } = operation.responses
  const header = (description: string) => ({ description, schema: { type: 'string' } })
  return {
    ...operation,
    responses: {
      ...others,
      '200': {
        description: '',
        ...answered,
        headers: {
          ...answered?.headers,
          'PAYMENT-RESPONSE': header('Receipt of x402: JSON in base64.'),
          'Payment-Receipt': header('Receipt of MPP: JSON in base64url.'),
        },
      },
      '402': {
        description: '',
        ...refused,
        headers: {
          ...refused?.headers,
          'PAYMENT-REQUIRED': header('Offer of x402: JSON in base64. The body has its fields too.'),
          'WWW-Authenticate': header('Challenges of MPP, with the scheme `Payment`.'),
          'PAYMENT-RESPONSE': header('Receipt of x402 of a settlement that failed: JSON in base64.'),
        },
        content: json('PaymentChallenge'),
      },
    },
  }
}
