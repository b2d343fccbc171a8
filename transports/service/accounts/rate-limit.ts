import { LRUCache } from 'lru-cache'
import { ServiceError, WindowCounts } from '../index.ts'
import { ClientNetworks } from './client-networks.ts'

export interface KeylessLimits {
  perSecond: number
  perHour: number
}

/** Where a caller stands after one more request. */
export interface LimitStanding {
  /** `X-RateLimit-*` of the tighter window; Reset in seconds until it ends. */
  headers: Record<string, number>
  /** Present when this request is over a limit. */
  refusal?: ServiceError
}

/** Counts points in every window. */
function standingIn(windows: WindowCounts[], key: string, whose: string, points = 1): LimitStanding {
  const standings = windows.map(window => window.count(key, points))
  const exceeded = standings.filter(standing => standing.exceeded)
  // Of two exhausted windows the one that ends later is the tighter.
  const tighter = standings.reduce((a, b) =>
    b.remaining < a.remaining || (b.remaining === a.remaining && b.resetSeconds > a.resetSeconds) ? b : a,
  )
  const headers = {
    'x-ratelimit-limit': tighter.limit,
    'x-ratelimit-remaining': tighter.remaining,
    'x-ratelimit-reset': tighter.resetSeconds,
  }
  if (exceeded.length === 0) return { headers }
  const retryAfterSeconds = Math.max(...exceeded.map(standing => standing.resetSeconds))
  return { headers, refusal: new ServiceError('rate_limited', `Too many requests ${whose}.`, { retryAfterSeconds }) }
}

/** Counts the requests of a client address; `requests` is how many to count, default 1. */
export type CountByAddress = (address: string, requests?: number) => Promise<LimitStanding>

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** The keyless pool of spec part 8: every request of a client counts, whatever its status. */
export function createKeylessLimit(limits: KeylessLimits): CountByAddress {
  const networks = new ClientNetworks()
  const windows = [
    new WindowCounts({ points: limits.perSecond, durationMs: SECOND_MS }),
    new WindowCounts({ points: limits.perHour, durationMs: HOUR_MS }),
  ]
  return async (address, requests) => standingIn(windows, networks.of(address), 'from this address', requests)
}

/** Different limits per second that organizations have; the least recently used window starts anew beyond that. */
const MAX_ORGANIZATION_LIMITS = 1_000

/** The limit of an organization, all its keys together: every request counts, whatever its status. */
export function createOrganisationLimit(): (
  organisation: {
    id: string
    /** Requests per second. */
    rateLimit: number
  },
  requests?: number,
) => Promise<LimitStanding> {
  // Organizations with the same limit share a counter, which counts each by its id.
  const counters = new LRUCache<number, WindowCounts>({ max: MAX_ORGANIZATION_LIMITS })
  return async ({ id, rateLimit }, requests) => {
    let counter = counters.get(rateLimit)
    if (!counter) {
      counter = new WindowCounts({ points: rateLimit, durationMs: SECOND_MS })
      counters.set(rateLimit, counter)
    }
    return standingIn([counter], id, 'of this organization', requests)
  }
}

/** The limit of requests under `/admin`, by address, so that nobody can try tokens fast. */
export function createAdministratorLimit(perSecond: number): CountByAddress {
  const networks = new ClientNetworks()
  const window = new WindowCounts({ points: perSecond, durationMs: SECOND_MS })
  return async (address, requests) => standingIn([window], networks.of(address), 'from this address', requests)
}

export interface PaymentLimits {
  perSecondByAddress: number
  perSecondByWallet: number
}

/**
 * The limits of paid calls (spec part 8): by address every call counts, paid or not, by wallet those whose payment was
 * found good.
 */
export function createPaymentLimits(limits: PaymentLimits): {
  byAddress: (address: string) => Promise<LimitStanding>
  byWallet: (wallet: string) => Promise<LimitStanding>
} {
  const networks = new ClientNetworks()
  const addresses = new WindowCounts({ points: limits.perSecondByAddress, durationMs: SECOND_MS })
  const wallets = new WindowCounts({ points: limits.perSecondByWallet, durationMs: SECOND_MS })
  return {
    byAddress: async address => standingIn([addresses], networks.of(address), 'from this address'),
    byWallet: async wallet => standingIn([wallets], wallet, 'paid by this wallet'),
  }
}
