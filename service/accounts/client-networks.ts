import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/**
 * Returns the network that counts as one client for a rate limit: an IPv4 address, or a /64 of IPv6, which providers assign to
 * one customer.
 */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  // A scope id (fe80::1%eth0) names the interface, not the client.
  const bare = address.split('%', 1)[0] ?? address
  // All texts that are no address together, so that nobody gets a client of their own for each text.
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
