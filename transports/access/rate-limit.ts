import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '../service/index.ts'
import { clientNetwork } from './client-address.ts'

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

interface WindowStanding {
  limit: number
  remaining: number
  resetSeconds: number
  exceeded: boolean
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<WindowStanding> {
  // The limiter rejects with the same record that it resolves with when the points are used up.
  const standing = await limiter.consume(key).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused
    throw refused
  })
  return {
    limit: limiter.points,
    remaining: standing.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(standing.msBeforeNext / 1000)),
    exceeded: standing.consumedPoints > limiter.points,
  }
}

/** Counts a request in every window. */
async function standingIn(windows: RateLimiterMemory[], key: string, whose: string): Promise<LimitStanding> {
  const standings = await Promise.all(windows.map(window => consume(window, key)))
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

/** The keyless pool of spec part 8: every request of a client counts, whatever its status. */
export function createKeylessLimit(limits: KeylessLimits): (address: string) => Promise<LimitStanding> {
  const windows = [
    new RateLimiterMemory({ keyPrefix: 'second', points: limits.perSecond, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'hour', points: limits.perHour, duration: 3_600 }),
  ]
  return address => standingIn(windows, clientNetwork(address), 'from this address')
}

/** The limit of an organisation, all its keys together: every request counts, whatever its status. */
export function createOrganisationLimit(): (organisation: {
  id: string
  /** Requests per second. */
  rateLimit: number
}) => Promise<LimitStanding> {
  // Organisations with the same limit share a limiter, which counts each by its id.
  const limiters = new Map<number, RateLimiterMemory>()
  return ({ id, rateLimit }) => {
    let limiter = limiters.get(rateLimit)
    if (!limiter) {
      limiter = new RateLimiterMemory({ points: rateLimit, duration: 1 })
      limiters.set(rateLimit, limiter)
    }
    return standingIn([limiter], id, 'of this organization')
  }
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
  const addresses = new RateLimiterMemory({ keyPrefix: 'address', points: limits.perSecondByAddress, duration: 1 })
  const wallets = new RateLimiterMemory({ keyPrefix: 'wallet', points: limits.perSecondByWallet, duration: 1 })
  return {
    byAddress: address => standingIn([addresses], clientNetwork(address), 'from this address'),
    byWallet: wallet => standingIn([wallets], wallet, 'paid by this wallet'),
  }
}
