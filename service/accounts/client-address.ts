import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

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
