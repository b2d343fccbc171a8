import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { WindowCounts } from '../fair-shares/window-counts.ts'
import { ClientNetworks } from './client-networks.ts'

export interface KeylessLimits {
  perSecond: number
  perHour: number
}

/** The state of a caller's rate limit after a request. */
export interface LimitStanding {
  /** Requests that the window with the fewest requests left allows. */
  limit: number
  /** Requests that are left in this window. */
  remaining: number
  /** Seconds until this window ends. */
  resetSeconds: number
  /** Present if the request exceeds a limit. */
  refusal?: ServiceError
}

/** Counts points in all windows. @param whose - the end of the error message, such as "from this address". */
function standingIn(windows: WindowCounts[], key: string, whose: string, points = 1): LimitStanding {
  const standings = windows.map(window => window.count(key, points))
  const exceeded = standings.filter(standing => standing.exceeded)
  // If two windows are exhausted, the one that ends later counts.
  const { limit, remaining, resetSeconds } = standings.reduce((a, b) =>
    b.remaining < a.remaining || (b.remaining === a.remaining && b.resetSeconds > a.resetSeconds) ? b : a,
  )
  const standing = { limit, remaining, resetSeconds }
  if (exceeded.length === 0) return standing
  const retryAfterSeconds = Math.max(...exceeded.map(standing => standing.resetSeconds))
  return {
    ...standing,
    refusal: new ServiceError('rate_limited', `Too many requests ${whose}.`, { retryAfterSeconds }),
  }
}

/** Counts the requests of a client address. @param requests - the number to count. Default 1. */
export type CountByAddress = (address: string, requests?: number) => Promise<LimitStanding>

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** Creates the limit of requests without a key (spec part 8). Every request of a client counts, whatever its status. */
export function createKeylessLimit(limits: KeylessLimits): CountByAddress {
  const networks = new ClientNetworks()
  const windows = [
    new WindowCounts({ points: limits.perSecond, durationMs: SECOND_MS }),
    new WindowCounts({ points: limits.perHour, durationMs: HOUR_MS }),
  ]
  return async (address, requests) => standingIn(windows, networks.of(address), 'from this address', requests)
}

/** Requests a second of an organization, unless the operator sets another number. */
export const DEFAULT_RATE_LIMIT = 50

/** Number of different rate limits that are counted at a time. Beyond it, the counts of the least recently used one start again. */
const MAX_ORGANIZATION_LIMITS = 1_000

/**
 * Creates the limit of an organization's requests, all keys together, or of an agent's. Every request counts, whatever its
 * status.
 *
 * @param whose - the end of the error message.
 */
export function createAccountLimit(whose: string): (
  owner: {
    id: string
    /** Requests per second. */
    rateLimit: number
  },
  requests?: number,
) => Promise<LimitStanding> {
  // Organizations with the same limit share a WindowCounts, in which each is counted by its id.
  const counters = new LRUCache<number, WindowCounts>({ max: MAX_ORGANIZATION_LIMITS })
  return async ({ id, rateLimit }, requests) => {
    let counter = counters.get(rateLimit)
    if (!counter) {
      counter = new WindowCounts({ points: rateLimit, durationMs: SECOND_MS })
      counters.set(rateLimit, counter)
    }
    return standingIn([counter], id, whose, requests)
  }
}

/** Creates the limit of requests under `/admin`, by address, which slows down guessing of tokens. */
export function createAdministratorLimit(perSecond: number): CountByAddress {
  const networks = new ClientNetworks()
  const window = new WindowCounts({ points: perSecond, durationMs: SECOND_MS })
  return async (address, requests) => standingIn([window], networks.of(address), 'from this address', requests)
}

/** Registrations of one client address in an hour. Each is a record on disk, so the limit is low. */
const REGISTRATIONS_PER_HOUR = 20

/** Creates the limit of registrations of agents, by address. */
export function createRegistrationLimit(): CountByAddress {
  const networks = new ClientNetworks()
  const window = new WindowCounts({ points: REGISTRATIONS_PER_HOUR, durationMs: HOUR_MS })
  return async (address, requests) => standingIn([window], networks.of(address), 'from this address', requests)
}

export interface PaymentLimits {
  perSecondByAddress: number
  perSecondByWallet: number
}

/** The limits of paid calls by the contract (spec part 8). */
export const defaultPaymentLimits: Readonly<PaymentLimits> = { perSecondByAddress: 20, perSecondByWallet: 10 }

/**
 * Creates the limits of paid calls (spec part 8). By address every call counts, with or without a payment; by wallet only
 * calls whose payment was verified.
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
