import type { FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import type { Payments, Place, RegionHeaders } from '../../../service/payments/index.ts'

/**
 * Returns the caller's location from the headers of a trusted proxy. Ignores the headers of a request that came without the
 * proxy.
 */
function statedPlace(request: FastifyRequest, names: RegionHeaders | undefined): Place | undefined {
  // `ips` contains the address of the peer, and further addresses only if the peer is a trusted proxy.
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
 * @param payments - if undefined, the call counts towards the rate limit of calls without a key.
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
