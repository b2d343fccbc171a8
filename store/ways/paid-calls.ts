import type { FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../service/accounts/index.ts'
import type { CallerLocation, Payments, RegionHeaders } from '../payments/index.ts'

/** The parts that paid calls use. */
export interface PaidCalls {
  payments: Payments
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /**
   * Public address of the server, for the address of the resource in an offer. The Host header is never used for it. Default:
   * the address on which the server listens.
   */
  baseUrl: string | undefined
}

/** The settings of headers for which a warning was given. */
const ignored = new WeakSet<RegionHeaders>()

/** Warns once that a header with a country is ignored. Otherwise a proxy that is not trusted would switch off the check of regions unnoticed. */
function warnOfIgnored({ headers, socket }: FastifyRequest, names: RegionHeaders): void {
  if (headers[names.country.toLowerCase()] === undefined || ignored.has(names)) return
  ignored.add(names)
  process.emitWarning(
    `the header ${names.country} of a request from ${socket.remoteAddress} is ignored, because that address is no trusted proxy, or did not send X-Forwarded-For; name the proxy in trust_proxy`,
  )
}

/**
 * Returns the caller's location from the headers of a trusted proxy. Ignores the headers of a request that came without the
 * proxy.
 */
function statedPlace(request: FastifyRequest, names: RegionHeaders | undefined): CallerLocation | undefined {
  if (!names) return undefined
  // `ips` contains the address of the peer, and further addresses only if the peer is a trusted proxy.
  if ((request.ips?.length ?? 0) < 2) {
    warnOfIgnored(request, names)
    return undefined
  }
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
