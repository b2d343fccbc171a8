import type { FastifyRequest } from 'fastify'
import { bodyBytes } from '../../transports/http/ways/index.ts'
import type { PaidRequest, SignedReceipt } from '../payments/index.ts'
import type { Offers, PaymentReceipts, SentPayment } from '../purchases/index.ts'

/** Returns the value of a header, or `undefined` if the header is absent or empty or was sent more than once. */
export function singleHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads JSON in base64. Returns null if the text is not JSON in base64. */
function unpack(header: string): unknown {
  try {
    return JSON.parse(utf8.decode(Buffer.from(header, 'base64')))
  } catch {
    // The caller gets a new offer with the reason `invalid_payload`.
    return null
  }
}

/** Writes JSON in base64, with padding. */
function pack(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/**
 * Returns the x402 payment of a request (`PAYMENT-SIGNATURE`). Returns null if the payment is malformed, and `undefined` if
 * there is none.
 */
export function x402PaymentOf(request: FastifyRequest): unknown {
  const header = singleHeader(request, 'payment-signature')
  return header === undefined ? undefined : unpack(header)
}

/**
 * Returns the payment of a request, by x402 or MPP (Machine Payments Protocol). A credential of MPP is in `Authorization`, or
 * in `Payment-Authorization` if `Authorization` has a bearer token.
 */
export function paymentOf(request: FastifyRequest): SentPayment {
  const { authorization = '' } = request.headers
  return {
    x402: x402PaymentOf(request),
    mpp:
      singleHeader(request, 'payment-authorization') ??
      (/^payment +\S/i.test(authorization) ? authorization : undefined),
    accepts: singleHeader(request, 'accept-payment')
      ?.split(',')
      .map(method => method.trim()),
  }
}

/** Returns the headers of an answer with offers, which must not be stored. */
export function offerHeaders({ x402, mpp = [] }: Offers): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'cache-control': 'no-store' }
  if (x402) headers['payment-required'] = pack(x402)
  const [only] = mpp
  if (only !== undefined) headers['www-authenticate'] = mpp.length === 1 ? only : [...mpp]
  return headers
}

/** Returns a request as a signed receipt names it. */
export function signedRequest(request: FastifyRequest): PaidRequest {
  return { method: request.method, target: request.originalUrl, body: bodyBytes(request) }
}

/**
 * Returns the headers with the receipts of a payment.
 *
 * @param signed - the signed receipt of what was delivered. In that of x402 it is an extension, in that of MPP the field `delivery`.
 */
export function receiptHeaders({ x402, mpp }: PaymentReceipts, signed?: SignedReceipt): Record<string, string> {
  const extensions = signed && { 'offer-receipt': { info: { receipt: signed } } }
  const headers: Record<string, string> = {}
  if (x402) headers['payment-response'] = pack({ ...x402, extensions })
  if (mpp !== undefined) headers['payment-receipt'] = signed ? withDelivery(mpp, signed) : mpp
  return headers
}

/** Adds a field to a receipt of MPP: JSON in base64url, whose readers keep fields that they do not know. */
function withDelivery(mpp: string, delivery: SignedReceipt): string {
  const receipt = JSON.parse(Buffer.from(mpp, 'base64url').toString()) as object
  return Buffer.from(JSON.stringify({ ...receipt, delivery })).toString('base64url')
}
