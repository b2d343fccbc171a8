import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What one client is for a rate limit: an IPv4 address, or the /64 that an IPv6 network hands to one customer. */
export function clientNetwork(address: string): string {
  if (isIPv4(address)) return address
  // A scope id (fe80::1%eth0) names the interface, not the client.
  const bare = address.split('%', 1)[0]!
  if (!ipaddr.isValid(bare)) return bare
  const parsed = ipaddr.process(bare)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')}::/64`
}
