import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { ServiceError, wireErrors } from '../../service/index.ts'
import { type DescribedResponse, json, named, sendFailure, withHeader } from '../../transports/http/ways/index.ts'
import type { Offers } from '../purchases/index.ts'
import { offerHeaders } from './payment-headers.ts'

/** The body of an offer (spec 2.8). */
export const paymentOffer = named(
  'PaymentOffer',
  z.strictObject({
    x402Version: z.literal(2),
    error: z.string(),
    resource: z.looseObject({ url: z.string() }),
    accepts: z.array(
      z.strictObject({
        scheme: z.literal('exact'),
        network: z.string(),
        amount: z.string().describe("In the token's smallest unit."),
        asset: z.string(),
        payTo: z.string(),
        maxTimeoutSeconds: z.int(),
        extra: z.looseObject({ name: z.string(), version: z.string() }),
      }),
    ),
  }),
)

/**
 * The body of a 402 that offers several protocols: an error with the offer of x402 (spec 2.8), and the fields of a problem
 * document (RFC 9457).
 */
export const paymentChallenge = named(
  'PaymentChallenge',
  z.looseObject({
    ...paymentOffer.partial().shape,
    error: z
      .string()
      .describe('`Payment required`, `Payment settlement failed`, or what is wrong with a payment by x402.'),
    message: z.string(),
    type: z.url(),
    title: z.string(),
    status: z.literal(402),
    detail: z.string().describe('The same as `message`.'),
  }),
)

/** Adds the headers of x402 and MPP, and the body of a 402, to the described responses of a route. */
export function withChallenge(responses: Record<string, DescribedResponse>): Record<string, DescribedResponse> {
  const none: DescribedResponse = { description: '' }
  const { 200: answered = none, 402: refused = none } = responses
  const paid = withHeader(answered, 'PAYMENT-RESPONSE', 'Receipt of x402: JSON in base64.')
  const receipt = 'Receipt of x402 of a settlement that failed: JSON in base64.'
  const offer = 'Offer of x402: JSON in base64. The body has its fields too.'
  const offered = withHeader(withHeader(refused, 'PAYMENT-RESPONSE', receipt), 'PAYMENT-REQUIRED', offer)
  return {
    ...responses,
    200: withHeader(paid, 'Payment-Receipt', 'Receipt of MPP: JSON in base64url.'),
    402: {
      ...withHeader(offered, 'WWW-Authenticate', 'Challenges of MPP, with the scheme `Payment`.'),
      content: json(paymentChallenge),
    },
  }
}

/**
 * Sends a 402 that offers several protocols. The body repeats the offer of x402 from the headers (spec 2.8), and has the fields
 * of a problem document (RFC 9457), which MPP requires.
 *
 * @param title - title of the problem document. Default: the `error` of the refusal.
 */
export function sendOffers(
  reply: FastifyReply,
  { kind, message, statusCode: status }: ServiceError,
  offers: Offers,
  title: string = wireErrors[kind].error,
): FastifyReply {
  const problem = { type: 'https://paymentauth.org/problems/payment-required', title, status, detail: message }
  const error = new ServiceError(kind, message, { facts: { ...offers.x402, ...problem } })
  return sendFailure(reply.headers(offerHeaders(offers)), error)
}
