import { z } from 'zod'
import { ServiceError } from '../../../service/index.ts'
import type { HeaderLines } from '../../../service/storefront/purchases/index.ts'

/** The header with an x402 offer, in lower case. */
const OFFER_HEADER = 'payment-required'

/**
 * Returns a 402 that offers several protocols with the offer of x402 in its body as well (spec 2.8), so that the body has
 * everything that the header has. Its own fields are those of a problem document (RFC 9457), which MPP requires.
 *
 * @param headers - those of the answer. Without an x402 offer among them the refusal stays as it is.
 */
export function withOfferBody(refusal: ServiceError, headers: HeaderLines): ServiceError {
  const [header] = [headers[OFFER_HEADER] ?? []].flat()
  if (header === undefined) return refusal
  const offer = z.looseObject({}).parse(JSON.parse(Buffer.from(header, 'base64').toString()))
  return new ServiceError(refusal.kind, refusal.message, { facts: { ...offer, ...refusal.facts } })
}
