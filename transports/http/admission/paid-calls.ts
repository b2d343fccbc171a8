import type { FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import type { Payments, Place, RegionHeaders } from '../../../service/payments/index.ts'

/** Returns the caller's place as a trusted proxy states it. Ignores the headers of a request that did not come through it. */
function statedPlace(request: FastifyRequest, names: RegionHeaders | undefined): Place | undefined {
  // `ips` ends with the peer, and has further addresses only if the peer is trusted.
  if (!names || (request.ips?.length ?? 0) < 2) return undefined
  const read = (name: string) => {
    const value = request.headers[name.toLowerCase()]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const country = read(names.country)
  return country === undefined ? undefined : { country, region: read(names.region) }
}

/**
 * Counts a call on a route that takes payments, and checks the region of its caller.
 *
 * @param payments - if undefined, the call counts as one without a key.
 * @throws ServiceError unavailable_region
 */
export async function countPaidCall(
  request: FastifyRequest,
  payments: Payments | undefined,
  byAddress: CountByAddress,
): Promise<LimitStanding> {
  if (!payments) return await byAddress(request.ip)
  payments.checkRegion(request.ip, statedPlace(request, payments.regionHeaders))
  return await payments.countCall(request.ip)
}
