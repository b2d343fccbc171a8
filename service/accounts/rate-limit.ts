import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../contract/errors.ts'
import { type CountWindow, type CreateWindow, WindowCounts } from '../fair-shares/window-counts.ts'

/**
 * Returns the network that counts as one client: an IPv4 address, or the /64 network of an IPv6 address. Providers
 * assign at least a /64 to each customer.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  // A scope id (fe80::1%eth0) names the interface, not the client.
  const bare = address.split('%', 1)[0] ?? address
  // All texts that are no addresses count as one client. Otherwise a caller could be many clients by sending many
  // texts.
  if (!ipaddr.isValid(bare)) return 'unknown'
  const parsed = ipaddr.process(bare)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}

export interface ClientNetworksSettings {
  /**
   * Number of /64 networks of one /48 that count as separate clients within an hour. With more, the whole /48 is one
   * client. Default 64.
   */
  maxPer48?: number
  /** Maximum number of remembered /48 networks. Default 2,000. */
  max48?: number
  /** Returns the current time, epoch ms. Default `Date.now`. */
  now?: () => number
}

const FORGET_MS = 3_600_000

/**
 * Maps addresses to clients for rate limits. A client is an IPv4 address or the /64 network of an IPv6 address. But a
 * customer often has a whole /48 with its 65,536 such networks. So if more than 64 networks of a /48 have called within
 * an hour, the whole /48 is one client.
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

/** Maximum number of requests of one client address without a key. */
export interface KeylessLimits {
  perSecond: number
  perHour: number
}

/** A caller's rate limit after a request. */
export interface LimitStanding {
  /** Maximum number of requests in the window. Of several windows, the one with the fewest requests left is shown. */
  limit: number
  /** Number of requests left in this window. */
  remaining: number
  /** Seconds until this window ends. */
  resetSeconds: number
  /** The error for the request, if it exceeds a limit. */
  refusal?: ServiceError
}

/**
 * Counts requests in all windows.
 *
 * @param whose - the end of the error message, such as "from this address".
 */
async function standingIn(
  windows: readonly CountWindow[],
  key: string,
  whose: string,
  points = 1,
): Promise<LimitStanding> {
  const standings = await Promise.all(windows.map(window => window.count(key, points)))
  // Of windows with equally few requests left, the one that ends last is shown.
  const { limit, remaining, resetSeconds } = standings.reduce((a, b) =>
    b.remaining < a.remaining || (b.remaining === a.remaining && b.resetSeconds > a.resetSeconds) ? b : a,
  )
  const standing = { limit, remaining, resetSeconds }
  if (!standings.some(({ exceeded }) => exceeded)) return standing
  // The shown window has no request left, and ends last of those: before its end a repeated request would be refused too.
  const text = `Too many requests ${whose}. Try again in ${resetSeconds} s.`
  return { ...standing, refusal: new ServiceError('rate_limited', text, { retryAfterSeconds: resetSeconds }) }
}

const ofThisProcess: CreateWindow = (_, settings) => new WindowCounts(settings)

/**
 * Counts requests of a client address.
 *
 * @param requests - number of requests. Default 1.
 */
export type CountByAddress = (address: string, requests?: number) => Promise<LimitStanding>

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** Creates the limit for requests without a key (spec part 8). All requests count, whatever their status. */
export function createKeylessLimit(limits: KeylessLimits, createWindow: CreateWindow = ofThisProcess): CountByAddress {
  const networks = new ClientNetworks()
  const windows = [
    createWindow('keyless second', { points: limits.perSecond, durationMs: SECOND_MS }),
    createWindow('keyless hour', { points: limits.perHour, durationMs: HOUR_MS }),
  ]
  return async (address, requests) => standingIn(windows, networks.of(address), 'from this address', requests)
}

/** Default maximum number of requests per second of an organization. */
export const DEFAULT_RATE_LIMIT = 50

/**
 * Maximum number of different limits that are remembered. Counts under the least recently used one are dropped first.
 */
const MAX_ORGANIZATION_LIMITS = 1_000

/**
 * Creates the limit for requests of an organization, with all its keys together, or of an agent. All requests count,
 * whatever their status.
 *
 * @param whose - the end of the error message.
 */
export function createAccountLimit(
  whose: string,
  createWindow: CreateWindow = ofThisProcess,
): (
  owner: {
    id: string
    /** Maximum number of requests per second. */
    rateLimit: number
  },
  requests?: number,
) => Promise<LimitStanding> {
  // Accounts with equal limits share one counter, which counts each account separately.
  const counters = new LRUCache<number, CountWindow>({ max: MAX_ORGANIZATION_LIMITS })
  return async ({ id, rateLimit }, requests) => {
    let counter = counters.get(rateLimit)
    if (!counter) {
      counter = createWindow(whose, { points: rateLimit, durationMs: SECOND_MS })
      counters.set(rateLimit, counter)
    }
    return standingIn([counter], id, whose, requests)
  }
}

/** Creates the limit for requests under `/admin`, by address, which slows down the guessing of tokens. */
export function createAdministratorLimit(perSecond: number): CountByAddress {
  const networks = new ClientNetworks()
  const window = new WindowCounts({ points: perSecond, durationMs: SECOND_MS })
  return async (address, requests) => standingIn([window], networks.of(address), 'from this address', requests)
}

/**
 * Maximum number of registrations from one address in an hour. It is low because each registration is stored on disk.
 */
const REGISTRATIONS_PER_HOUR = 20

/** Creates the limit for registrations of agents, by address. */
export function createRegistrationLimit(): CountByAddress {
  const networks = new ClientNetworks()
  const window = new WindowCounts({ points: REGISTRATIONS_PER_HOUR, durationMs: HOUR_MS })
  return async (address, requests) => standingIn([window], networks.of(address), 'from this address', requests)
}

/** Maximum number of calls in a second, from one address, paid or not, and paid for by one wallet. */
export interface PaymentLimits {
  /** Default 20. */
  perSecondByAddress: number
  /** Default 10. */
  perSecondByWallet: number
}

/** The limits for paid calls in the contract (spec part 8). */
export const defaultPaymentLimits: Readonly<PaymentLimits> = { perSecondByAddress: 20, perSecondByWallet: 10 }

/**
 * Creates the limits for paid calls (spec part 8). That of an address counts all calls, with or without a payment. That
 * of a wallet counts only calls with a verified payment.
 *
 * @param createWindow - makes the counts. Default: this process counts alone.
 */
export function createPaymentLimits(
  limits: PaymentLimits,
  createWindow: CreateWindow = ofThisProcess,
): {
  byAddress: (address: string) => Promise<LimitStanding>
  byWallet: (wallet: string) => Promise<LimitStanding>
} {
  const networks = new ClientNetworks()
  const addresses = createWindow('paid address', { points: limits.perSecondByAddress, durationMs: SECOND_MS })
  const wallets = createWindow('wallet', { points: limits.perSecondByWallet, durationMs: SECOND_MS })
  return {
    byAddress: async address => standingIn([addresses], networks.of(address), 'from this address'),
    byWallet: async wallet => standingIn([wallets], wallet, 'paid by this wallet'),
  }
}
