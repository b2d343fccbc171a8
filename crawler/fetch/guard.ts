import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { invalidOption, type OptionKinds, optionsReader, said } from '@asof/extract/errors'
import ipaddr from 'ipaddr.js'
import { CrawlError, isCrawlError } from '../errors.ts'
import { cachingResolver, type Resolve } from './address-cache.ts'

/** Options of the address guard. */
export interface GuardOptions {
  /**
   * True to allow all addresses and ports, even loopback and private ones, for tests and closed networks. Default
   * false.
   */
  allowPrivate?: boolean
  /** Resolves a host name to all of its addresses. Default: the resolver of the operating system. */
  resolve?: Resolve
  /** Time limit for resolving a name, ms. Default 5,000. */
  dnsTimeoutMs?: number
}

export const guardOptionKinds: OptionKinds<GuardOptions> = {
  allowPrivate: 'boolean',
  resolve: 'function',
  dnsTimeoutMs: 'number',
}

const readGuardOptions = optionsReader<GuardOptions>(guardOptionKinds)

// Ports of text protocols, into which an HTTP request could smuggle commands: the "bad ports" of the Fetch standard
// from 1024 on. Below 1024 only 80 and 443 are allowed.
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080, 11211,
])

// A public address at which Azure serves metadata and DHCP to its virtual machines.
const metadataAddresses = new Set(['168.63.129.16'])

// Names reserved for loopback and private networks, whatever they resolve to: RFC 6761 (6.3), RFC 6762, RFC 8375, and
// `.internal`, which ICANN reserves for private use and clouds use for metadata services.
const privateNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i

/**
 * True for an IP address on the public internet. Not public are the special-purpose ranges of RFC 6890 and its
 * registries, the metadata services of clouds, and IPv6 addresses that embed an IPv4 address which is not public.
 *
 * @param address - in any textual form. False for other texts.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.kind() === 'ipv4') return isPublicIPv4(parsed.toString())
  const bytes = parsed.toByteArray()
  const embedded = bytes.slice(12).join('.')
  if (startsWith(bytes, mappedPrefix) || startsWith(bytes, nat64Prefix)) return isPublicIPv4(embedded)
  // Only 2000::/3 is assigned as global unicast. For 6to4, Teredo, documentation and the like, ipaddr.js returns
  // another range than `unicast`.
  const [first = 0] = bytes
  return (first & 0xe0) === 0x20 && ipaddr.IPv6.parse(parsed.toString()).range() === 'unicast'
}

const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
// The prefix of IPv6 addresses by which networks with DNS64 reach IPv4 hosts (RFC 6052).
const nat64Prefix = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]

function startsWith(bytes: number[], prefix: number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte)
}

function isPublicIPv4(address: string): boolean {
  return ipaddr.IPv4.parse(address).range() === 'unicast' && !metadataAddresses.has(address)
}

/**
 * Checks the parts of a URL that need no DNS: scheme, credentials, port, literal address, reserved names. The URL
 * parser has already normalized other spellings of addresses, such as `0x7f.1`, `2130706433` and `[::ffff:127.0.0.1]`.
 *
 * @throws ASOF_ADDRESS_REFUSED - `details.reason` is `scheme`, `credentials`, `port` or `address`.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type, or `url` is not a URL object.
 */
export function checkUrl(url: URL, options?: GuardOptions): void {
  if (!(url instanceof URL)) throw invalidOption('url', `must be a URL object, not ${typeof url}`)
  expectAllowedUrl(url, readGuardOptions(options))
}

/** Like {@link checkUrl}, for options that were already checked. */
export function expectAllowedUrl(url: URL, options: GuardOptions): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refusal(url.href, 'scheme', 'only http and https URLs are fetched')
  if (url.username !== '' || url.password !== '')
    throw refusal(url.origin, 'credentials', 'a URL with a user name or password is not fetched')
  if (options.allowPrivate) return
  if (url.port !== '') {
    const port = Number(url.port)
    if (port !== 80 && port !== 443 && (port < 1024 || badPorts.has(port)))
      throw refusal(url.href, 'port', `port ${port} is not allowed`)
  }
  if (privateNames.test(url.hostname)) throw refusal(url.href, 'address', 'not a public address')
  const literal = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw refusal(url.href, 'address', 'not a public address')
}

/**
 * Returns a `lookup` function for `net.connect` that resolves names, caches answers for a minute, and checks all
 * addresses. The connection goes to a checked address, so a later DNS answer has no effect. A name is refused if any of
 * its addresses is not public, because no honest host mixes both kinds.
 *
 * The callback gets ASOF_ADDRESS_REFUSED, or the error of the resolver.
 */
export function guardLookup(options: GuardOptions = {}): LookupFunction {
  const { dnsTimeoutMs: timeoutMs } = options
  const resolve = cachingResolver(options.resolve ?? resolveWithSystem, { timeoutMs })
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      addresses => {
        const wanted = addresses.filter(({ family }) => familyFits(family, lookupOptions.family))
        const [first] = wanted
        if (!first) {
          callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), [])
        } else if (!options.allowPrivate && addresses.some(({ address }) => !isPublicAddress(address))) {
          callback(refusal(hostname, 'address', 'the name resolves to an address that is not public'), [])
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

function refusal(target: string, reason: string, why: string): CrawlError {
  return new CrawlError('ASOF_ADDRESS_REFUSED', `${target}: ${why}`, { details: { reason } })
}

const refusedTargets: Readonly<Record<string, string>> = {
  scheme: 'of a scheme other than http and https',
  credentials: 'with a user name or password',
  port: 'with a port that is not allowed',
  address: 'that is not public',
}

/**
 * Returns the error for a redirect to an address that the guard refuses. The site chose the address, so the message names only the
 * URL that was requested. Returns any other error unchanged.
 */
export function refusedRedirect(error: unknown, requestedUrl: string, target: string): unknown {
  if (!isCrawlError(error, 'ASOF_ADDRESS_REFUSED')) return error
  const reason = String(error.details?.reason)
  return new CrawlError('ASOF_ADDRESS_REFUSED', `${requestedUrl}: redirects to an address ${refusedTargets[reason]}`, {
    cause: error,
    details: { reason, said: said('Location', target) },
  })
}
