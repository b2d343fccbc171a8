import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { WindowCounts } from '../fair-shares/window-counts.ts'

/**
 * Returns the network that counts as one client for a rate limit: an IPv4 address, or a /64 of IPv6, which providers assign
 * to one customer.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  // A scope id (fe80::1%eth0) names the interface, not the client.
  const bare = address.split('%', 1)[0] ?? address
  // All texts that are not addresses count as one client, so that nobody can be many clients by sending many texts.
  if (!ipaddr.isValid(bare)) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

export interface ClientNetworksSettings {
  /** Maximum number of /64 networks of one /48 that count as separate clients within an hour. Default 64. */
  maxPer48?: number
  /** Maximum number of stored /48 networks. Default 2,000. */
  max48?: number
  /** The current time, epoch milliseconds. Default `Date.now`. */
  now?: () => number
}

const FORGET_MS = 3_600_000

/**
 * Maps addresses to clients for rate limits: an IPv4 address, or the /64 network of an IPv6 address. A customer of a provider
 * often has a whole /48, which contains 65,536 networks of /64. When more than 64 of these have called within an hour, the
 * whole /48 counts as one client.
 */
export class ClientNetworks {
  readonly #maxPer48: number
  readonly #now: () => number
  readonly #seen: LRUCache<string, { networks: Set<string>; since: number }>

  constructor({ maxPer48 = 64, max48 = 2_000, now = Date.now }: ClientNetworksSettings = {}) {
    this.#maxPer48 = maxPer48
    this.#now = now
    this.#seen = new LRUCache({ max: max48 })
  }

  /** Returns the client of an address, such as `192.0.2.1`, `2001:db8:0:1::/64` or `2001:db8:0::/48`. */
  of(address: string): string {
    const network = clientNetwork(address)
    if (!network.endsWith('::/64')) return network
    const prefix = network.split(':', 3).join(':')
    const now = this.#now()
    let seen = this.#seen.get(prefix)
    if (seen === undefined || now - seen.since >= FORGET_MS) {
      seen = { networks: new Set(), since: now }
      this.#seen.set(prefix, seen)
    }
    if (seen.networks.size <= this.#maxPer48) seen.networks.add(network)
    return seen.networks.size > this.#maxPer48 ? `${prefix}::/48` : network
  }
}

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

/** Counts requests in all windows. @param whose - the end of the error message, such as "from this address". */
function standingIn(windows: WindowCounts[], key: string, whose: string, points = 1): LimitStanding {
  const standings = windows.map(window => window.count(key, points))
  const exceeded = standings.filter(standing => standing.exceeded)
  // If two windows have equally few requests left, the one that ends later is shown.
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

/**
 * Maximum number of different rate limits with counts. Beyond it, the counts of the least recently used limit start again.
 */
const MAX_ORGANIZATION_LIMITS = 1_000

/**
 * Creates the limit of the requests of an organization (of all its keys together) or of an agent. Every request counts,
 * whatever its status.
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
  // Accounts with the same limit share a WindowCounts, which counts each by its id.
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
 * Creates the limits of paid calls (spec part 8). The limit of an address counts every call, with or without a payment. The
 * limit of a wallet counts only calls whose payment was verified.
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
