import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { AsofError, invalidOption, type OptionKinds, optionsReader } from '@asof/core'
import ipaddr from 'ipaddr.js'
import { cachingResolver, type Resolve } from './address-cache.ts'

/** What the guard lets through. */
export interface GuardOptions {
  /** Lets loopback, private and all other addresses and ports through. For tests and closed networks. Default false. */
  allowPrivate?: boolean
  /** Resolves a host name to all of its addresses. Default: the operating system's resolver. */
  resolve?: Resolve
  /** The longest that resolving a name may take, ms. Default 5,000. */
  dnsTimeoutMs?: number
}

export const guardOptionKinds: OptionKinds<GuardOptions> = {
  allowPrivate: 'boolean',
  resolve: 'function',
  dnsTimeoutMs: 'number',
}

const readGuardOptions = optionsReader<GuardOptions>(guardOptionKinds)

// Services that speak text protocols which an HTTP request could be smuggled into: the "bad ports" of the Fetch
// standard from 1024 up. Below 1024 only 80 and 443 are open at all.
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080, 11211,
])

// Azure answers its machines' metadata and DHCP requests from this otherwise public address.
const metadataAddresses = new Set(['168.63.129.16'])

// Names that mean loopback or a private network, whatever a resolver says: RFC 6761 (6.3), RFC 6762, RFC 8375, and the
// top-level domain that ICANN keeps for private use, under which clouds have their metadata services.
const privateNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i

/**
 * Whether an IP address belongs to the public internet: none of the special-purpose ranges of RFC 6890 and its
 * registries, no metadata service, and no IPv6 address that carries such an IPv4 address inside.
 *
 * @param address - any textual form; text that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return isPublicIPv4(parsed.toString())
  const bytes = parsed.toByteArray()
  const embedded = bytes.slice(12).join('.')
  if (startsWith(bytes, mappedPrefix) || startsWith(bytes, nat64Prefix)) return isPublicIPv4(embedded)
  // Only 2000::/3 is handed out as global unicast; 6to4, Teredo, documentation and the like are named ranges in it.
  return (bytes[0]! & 0xe0) === 0x20 && ipaddr.IPv6.parse(parsed.toString()).range() === 'unicast'
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
// RFC 6052: networks with DNS64 reach public IPv4 hosts through these addresses.
const nat64Prefix = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]

function startsWith(bytes: number[], prefix: number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte)
}

function isPublicIPv4(address: string): boolean {
  return ipaddr.IPv4.parse(address).range() === 'unicast' && !metadataAddresses.has(address)
}

/**
 * Checks all of a URL that can be judged before its name is resolved: scheme, credentials, port, literal address, names that
 * are private everywhere.
 * The URL parser has already turned odd spellings (`0x7f.1`, `2130706433`, `[::ffff:127.0.0.1]`) into addresses.
 *
 * @throws ASOF_ADDRESS_REFUSED - `details.reason` is `scheme`, `credentials`, `port` or `address`.
 * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type; or `url` is no URL object.
 */
export function checkUrl(url: URL, options?: GuardOptions): void {
  if (!(url instanceof URL)) throw invalidOption('url', `must be a URL object, not ${typeof url}`)
  refuseUrl(url, readGuardOptions(options))
}

/** {@link checkUrl}, under options that have been checked. */
export function refuseUrl(url: URL, options: GuardOptions): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(url.href, 'scheme', 'only http and https')
  if (url.username !== '' || url.password !== '') throw refused(url.origin, 'credentials', 'no credentials in a URL')
  if (options.allowPrivate) return
  if (url.port !== '') {
    const port = Number(url.port)
    if (port !== 80 && port !== 443 && (port < 1024 || badPorts.has(port)))
      throw refused(url.href, 'port', 'port refused')
  }
  if (privateNames.test(url.hostname)) throw refused(url.href, 'address', 'not a public address')
  const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw refused(url.href, 'address', 'not a public address')
}

/**
 * A `lookup` for `net.connect` that resolves a name, keeps the answer for a minute, and hands over only addresses it
 * has checked, so the address that was judged is the one connected to and a second answer of the DNS never counts. One address that
 * is not public refuses the name: honest hosts don't mix.
 *
 * The callback gets ASOF_ADDRESS_REFUSED, or the resolver's own error.
 */
export function guardedLookup(options: GuardOptions = {}): LookupFunction {
  const { dnsTimeoutMs: timeoutMs } = options
  const resolve = cachingResolver(options.resolve ?? resolveWithSystem, timeoutMs === undefined ? {} : { timeoutMs })
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      addresses => {
        const wanted = addresses.filter(({ family }) => familyFits(family, lookupOptions.family))
        const [first] = wanted
        if (!first) {
          callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), [])
        } else if (!options.allowPrivate && addresses.some(({ address }) => !isPublicAddress(address))) {
          callback(refused(hostname, 'address', 'resolves to an address that is not public'), [])
        } else if (lookupOptions.all) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }
}

function familyFits(family: number, wanted: number | 'IPv4' | 'IPv6' | undefined): boolean {
  if (wanted === undefined || wanted === 0) return true
  return family === (wanted === 'IPv4' ? 4 : wanted === 'IPv6' ? 6 : wanted)
}

function resolveWithSystem(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}

function refused(target: string, reason: string, why: string): AsofError {
  return new AsofError('ASOF_ADDRESS_REFUSED', `${target}: ${why}`, { details: { reason } })
}
