import { LRUCache } from 'lru-cache'
import { clientNetwork } from './client-address.ts'

export interface ClientNetworksSettings {
  /** /64 networks of one /48 that are told apart in an hour. Default 64. */
  maxPer48?: number
  /** /48 networks that are remembered. Default 2,000. */
  max48?: number
  /** The current time, epoch milliseconds. Default: that of the system. */
  now?: () => number
}

const FORGET_MS = 3_600_000

/**
 * Names the client behind an address for a rate limit: an IPv4 address, or the /64 of an IPv6 address. A customer of a
 * provider often has a whole /48, 65,536 networks of /64. Once more than 64 of these have called within an hour, the /48 is
 * one client.
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
