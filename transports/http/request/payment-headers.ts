import type { FastifyRequest } from 'fastify'

/** Returns a header that was sent once and is not empty, or `undefined`. */
export function singleHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * The payment of a request by x402 (`PAYMENT-SIGNATURE`) or MPP. The credential of MPP has a header of its own if
 * `Authorization` has a bearer token.
 */
export function paymentHeadersOf(request: FastifyRequest): { signature?: string; credential?: string } {
  const { authorization = '' } = request.headers
  const signature = singleHeader(request, 'payment-signature')
  const credential =
    singleHeader(request, 'payment-authorization') ?? (/^payment +\S/i.test(authorization) ? authorization : undefined)
  return { ...(signature !== undefined && { signature }), ...(credential !== undefined && { credential }) }
}
